package cliext

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/pflag"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
)

// CommonOptions are the flags of every command.
type CommonOptions struct {
	Env                     string
	EnvFile                 string
	ConfigFile              string
	Profile                 string
	DisableConfigFile       bool
	DisableConfigEnv        bool
	LogLevel                FlagStringEnum
	LogFormat               FlagStringEnum
	Output                  FlagStringEnum
	TimeFormat              FlagStringEnum
	Color                   FlagStringEnum
	NoJsonShorthandPayloads bool
	CommandTimeout          FlagDuration
	ClientConnectTimeout    FlagDuration
}

func (*CommonOptions) Description() string { return "Flags of every command." }

func (o *CommonOptions) BuildFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Env, "env", "default", "Name of the environment of the deprecated `env` commands.")
	f.StringVar(&o.EnvFile, "env-file", "", "File of the deprecated `env` commands.")
	f.StringVar(&o.ConfigFile, "config-file", "", "TOML file with profiles.")
	f.StringVar(&o.Profile, "profile", "", "Profile in the configuration file.")
	f.BoolVar(&o.DisableConfigFile, "disable-config-file", false, "Read no configuration file.")
	f.BoolVar(&o.DisableConfigEnv, "disable-config-env", false, "Read no configuration from the environment.")
	enum(f, &o.LogLevel, "log-level", []string{"debug", "info", "warn", "error", "never"}, "never", "Lowest level of the log.")
	enum(f, &o.LogFormat, "log-format", []string{"text", "json", "pretty"}, "text", "Format of the log.")
	enum(f, &o.TimeFormat, "time-format", []string{"relative", "iso", "raw"}, "relative", "Format of times.")
	enum(f, &o.Color, "color", []string{"always", "never", "auto"}, "auto", "Coloured output.")
	o.Output = NewFlagStringEnum([]string{"text", "json", "jsonl", "none"}, "text")
	f.VarP(&o.Output, "output", "o", "Format of the output: text, json, jsonl, none.")
	f.BoolVar(&o.NoJsonShorthandPayloads, "no-json-shorthand-payloads", false, "Print payloads as they are stored.")
	f.Var(&o.CommandTimeout, "command-timeout", "Time limit of the command; 0 is none.")
	f.Var(&o.ClientConnectTimeout, "client-connect-timeout", "Time limit of connecting; 0 is none.")
}

func enum(f *pflag.FlagSet, to *FlagStringEnum, name string, allowed []string, value, usage string) {
	*to = NewFlagStringEnum(allowed, value)
	f.Var(to, name, fmt.Sprintf("%s One of %v.", usage, allowed))
}

// NewLogger returns the log of the server and of the SDK.
func NewLogger(o CommonOptions, to io.Writer) (*slog.Logger, error) {
	if o.LogLevel.Value == "never" {
		return slog.New(slog.DiscardHandler), nil
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.LogLevel.Value)); err != nil {
		return nil, fmt.Errorf("invalid log level %q: %w", o.LogLevel.Value, err)
	}
	options := &slog.HandlerOptions{Level: level}
	if o.LogFormat.Value == "json" {
		return slog.New(slog.NewJSONHandler(to, options)), nil
	}
	return slog.New(slog.NewTextHandler(to, options)), nil
}

// ClientOptions are the flags of commands that call a server. Encryption and keys come from a profile or the environment.
type ClientOptions struct {
	Address   string
	Namespace string
	Identity  string
	flags     *pflag.FlagSet
}

func (*ClientOptions) Description() string { return "Flags of commands that call a server." }

func (o *ClientOptions) BuildFlags(f *pflag.FlagSet) {
	o.flags = f
	f.StringVar(&o.Address, "address", client.DefaultHostPort, "Address of the server.")
	f.StringVarP(&o.Namespace, "namespace", "n", client.DefaultNamespace, "Namespace.")
	f.StringVar(&o.Identity, "identity", "", "Identity of this client.")
}

// HideFlags leaves the flags out of the help of single commands.
func (o *ClientOptions) HideFlags() {
	o.flags.VisitAll(func(flag *pflag.Flag) { flag.Hidden = true })
}

// ClientOptionsBuilder makes the options of the SDK's client: a profile first, flags over it.
type ClientOptionsBuilder struct {
	CommonOptions CommonOptions
	ClientOptions ClientOptions
	EnvLookup     envconfig.EnvLookup
	Logger        *slog.Logger
	// PayloadCodec stays empty: remote codecs are not supported.
	PayloadCodec converter.PayloadCodec
}

func (b *ClientOptionsBuilder) Build(context.Context) (client.Options, error) {
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{
		ConfigFilePath:    b.CommonOptions.ConfigFile,
		ConfigFileProfile: b.CommonOptions.Profile,
		DisableFile:       b.CommonOptions.DisableConfigFile,
		DisableEnv:        b.CommonOptions.DisableConfigEnv,
		EnvLookup:         b.EnvLookup,
	})
	if err != nil {
		return client.Options{}, err
	}
	options.HostPort = chosen(b.ClientOptions.flags, "address", b.ClientOptions.Address, options.HostPort)
	options.Namespace = chosen(b.ClientOptions.flags, "namespace", b.ClientOptions.Namespace, options.Namespace)
	options.Identity = b.ClientOptions.Identity
	if b.Logger != nil {
		options.Logger = log.NewStructuredLogger(b.Logger)
	}
	return options, nil
}

// chosen returns a flag that was set, else the profile's value, else the flag's default.
func chosen(flags *pflag.FlagSet, name, value, ofProfile string) string {
	if ofProfile == "" || (flags != nil && flags.Changed(name)) {
		return value
	}
	return ofProfile
}
