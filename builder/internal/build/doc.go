// Package build is a build that a method works on: a job over points, with the lists so
// far and the steering sample. Its [Method] is the interface of every method's room. A room
// imports this package and the packages below it, never another room.
package build
