// Package cliext stands in for the flag package of Temporal's CLI. The CLI's module replaces it by a folder of its own
// repository that the module proxy does not serve. It holds what the CLI's code needs to compile and to start a server.
package cliext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FlagDuration is a duration that also knows days, such as `3d`.
type FlagDuration time.Duration

func (d FlagDuration) Duration() time.Duration { return time.Duration(d) }
func (d FlagDuration) String() string          { return time.Duration(d).String() }
func (d *FlagDuration) Type() string           { return "duration" }

func (d *FlagDuration) Set(text string) error {
	parsed, err := ParseFlagDuration(text)
	*d = FlagDuration(parsed)
	return err
}

// ParseFlagDuration reads a duration of Go, before which days may stand: `90s`, `3d`, `1d12h`.
func ParseFlagDuration(text string) (time.Duration, error) {
	before, after, hasDays := strings.Cut(text, "d")
	if !hasDays {
		return time.ParseDuration(text)
	}
	days, err := strconv.ParseFloat(before, 64)
	if err != nil {
		return 0, fmt.Errorf("invalid duration %q", text)
	}
	var rest time.Duration
	if after != "" {
		if rest, err = time.ParseDuration(after); err != nil {
			return 0, err
		}
	}
	return time.Duration(days*float64(24*time.Hour)) + rest, nil
}

// MustParseFlagDuration is for defaults that stand in the code.
func MustParseFlagDuration(text string) FlagDuration {
	parsed, err := ParseFlagDuration(text)
	if err != nil {
		panic(err)
	}
	return FlagDuration(parsed)
}

// FlagTimestamp is an instant in RFC 3339.
type FlagTimestamp time.Time

func (t FlagTimestamp) Time() time.Time { return time.Time(t) }
func (t *FlagTimestamp) Type() string   { return "timestamp" }

func (t FlagTimestamp) String() string {
	if time.Time(t).IsZero() {
		return ""
	}
	return time.Time(t).Format(time.RFC3339)
}

func (t *FlagTimestamp) Set(text string) error {
	parsed, err := time.Parse(time.RFC3339, text)
	*t = FlagTimestamp(parsed)
	return err
}

// FlagStringEnum is one of the allowed words, whatever their case.
type FlagStringEnum struct {
	Allowed            []string
	Value              string
	ChangedFromDefault bool
}

func NewFlagStringEnum(allowed []string, value string) FlagStringEnum {
	return FlagStringEnum{Allowed: allowed, Value: value}
}

func (e *FlagStringEnum) String() string { return e.Value }
func (e *FlagStringEnum) Type() string   { return "string" }

func (e *FlagStringEnum) Set(text string) error {
	word, err := oneOf(e.Allowed, text)
	if err == nil {
		e.Value, e.ChangedFromDefault = word, true
	}
	return err
}

// FlagStringEnumArray is a list of allowed words; each use of the flag adds one.
type FlagStringEnumArray struct {
	Allowed []string
	Values  []string
}

func NewFlagStringEnumArray(allowed, values []string) FlagStringEnumArray {
	return FlagStringEnumArray{Allowed: allowed, Values: values}
}

func (e *FlagStringEnumArray) String() string { return strings.Join(e.Values, ",") }
func (e *FlagStringEnumArray) Type() string   { return "string" }

func (e *FlagStringEnumArray) Set(text string) error {
	word, err := oneOf(e.Allowed, text)
	if err == nil {
		e.Values = append(e.Values, word)
	}
	return err
}

func oneOf(allowed []string, text string) (string, error) {
	index := slices.IndexFunc(allowed, func(word string) bool { return strings.EqualFold(word, text) })
	if index < 0 {
		return "", fmt.Errorf("%q is not one of %s", text, strings.Join(allowed, ", "))
	}
	return allowed[index], nil
}
