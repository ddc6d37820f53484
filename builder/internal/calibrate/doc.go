// Package calibrate measures the machine for a forecast: how fast it does the parts of a
// build, with all threads, on rows of the input itself, at the moment. Its results change
// forecasts only, never a graph.
package calibrate
