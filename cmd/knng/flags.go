package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
)

type notZero struct{ flag, want string }

var zeroK = notZero{"k", fmt.Sprintf("1 to %d", builder.MaxK)}

// refuse returns an error for the first of the flags that was given as 0.
func refuse(c *cobra.Command, zeros []notZero) error {
	for _, z := range zeros {
		if given(c, z.flag) == "0" {
			return fmt.Errorf("%s is 0, want %s", dashed(z.flag), z.want)
		}
	}
	return nil
}

// dashed is a flag as it is typed.
func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// byFlags is an error of options that calls each option by its flag.
func byFlags(c *cobra.Command, err error) error {
	faults := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		faults = slices.Clone(joined.Unwrap())
	}
	for i, fault := range faults {
		o := new(builder.OptionError)
		if flag := ""; errors.As(fault, &o) {
			if flag = flagOf(o.Option); c.Flags().Lookup(flag) != nil {
				faults[i] = fmt.Errorf("%s is %s, want %s", dashed(flag), o.Shown(), o.Want)
			}
		}
	}
	return errors.Join(faults...)
}

// flagOf is the flag of a field of options: leaf-size of LeafSize, visits of Paper.Visits.
func flagOf(option string) string {
	name := option[strings.LastIndexByte(option, '.')+1:]
	var flag strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			flag.WriteByte('-')
		}
		flag.WriteRune(unicode.ToLower(r))
	}
	return flag.String()
}

// given is the text of a flag, "" where it was left out.
func given(c *cobra.Command, flag string) string {
	if f := c.Flags().Lookup(flag); f.Changed {
		return f.Value.String()
	}
	return ""
}

// parseSwitch reads the value of a flag. Only --pair-cache can be auto.
func parseSwitch(name, value string) (builder.Switch, error) {
	switch {
	case value == "on":
		return builder.On, nil
	case value == "off":
		return builder.Off, nil
	case name != "pair-cache":
		return 0, fmt.Errorf("--%s is %q, want on or off", name, value)
	case value == "auto":
		return builder.Default, nil
	}
	return 0, fmt.Errorf("--pair-cache is %q, want auto, on or off", value)
}

// parseSize reads sizes such as 512MiB, 2G or 1000000; "" is 0.
func parseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	number := strings.TrimRight(s, "KMGTiBkmgtb")
	unit := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s[len(number):]), "B"), "I")
	shift, ok := map[string]int{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[unit]
	n, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(n > 0) || n*float64(int64(1)<<shift) > 1<<60 {
		return 0, fmt.Errorf("--memory is %q, want a size such as 512MiB or 2G", s)
	}
	return int64(n * float64(int64(1)<<shift)), nil
}
