package main

import "github.com/spf13/cobra"

func newRecall(g *globals) *cobra.Command      { return &cobra.Command{Use: "recall"} }
func newExport(g *globals) *cobra.Command      { return &cobra.Command{Use: "export"} }
func newInfo(g *globals) *cobra.Command        { return &cobra.Command{Use: "info"} }
func newCheck(g *globals) *cobra.Command       { return &cobra.Command{Use: "check"} }
func newDump(g *globals) *cobra.Command        { return &cobra.Command{Use: "dump"} }
func newConvert(g *globals) *cobra.Command     { return &cobra.Command{Use: "convert"} }
func newDemoCommand(g *globals) *cobra.Command { return &cobra.Command{Use: "demo"} }
func newVersion(g *globals) *cobra.Command     { return &cobra.Command{Use: "version"} }
