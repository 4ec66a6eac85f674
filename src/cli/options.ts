import { Command, Option } from 'commander'
import { type Config, loadConfig } from '../config/config.ts'
import { listSettings, type ShownSetting } from '../config/settings.ts'
import { type ConfigSources, serverVariables } from '../config/sources.ts'
import type { Io } from './io.ts'

const dataHelp = listSettings()
  .filter(({ name }) => name === 'data')
  .map(settingHelp)
  .join('')

const configHelp = 'TOML file of settings (default: config.toml in the data folder; INFERD_CONFIG)'

function settingHelp({ help, defaultText, environment }: ShownSetting): string {
  return `${help} (default: ${defaultText}; ${environment})`
}

/** Flag of a setting, which the settings are read with. A command may have a flag of the same name for something else. */
class SettingOption extends Option {}

/** Creates a command with the options common to all commands. */
export function newCommand(name: string, summary: string): Command {
  return (
    new Command(name)
      .description(summary)
      .addOption(new SettingOption('--data <path>', dataHelp))
      .addOption(new SettingOption('--config <file>', configHelp))
      .option('--json', 'print JSON instead of text')
      // Flags after the name of a subcommand are the subcommand's, although both have them.
      .enablePositionalOptions()
  )
}

/** Creates a command that uses models of a server. */
export function newModelCommand(name: string, summary: string): Command {
  const variables = serverVariables
  const help = `address of another server, whose key is in ${variables.key} (default: the data folder's server; ${variables.url})`
  return newCommand(name, summary).option('--url <address>', help)
}

/** Returns the address of another server that a command uses. Undefined for the server of the data folder. */
export function otherServer(command: Command, io: Io): string | undefined {
  if (!command.options.some(({ long }) => long === '--url')) return undefined
  return optionText(command, 'url') ?? (io.environment[serverVariables.url] || undefined)
}

/** Adds a flag for every setting that `newCommand` has not added. */
export function addSettingFlags(command: Command): Command {
  for (const setting of listSettings()) {
    if (setting.name === 'data') continue
    command.addOption(new SettingOption(setting.flag, settingHelp(setting)))
    if (setting.offFlag !== undefined) command.option(setting.offFlag, `Turns off --${setting.name}`)
  }
  return command
}

/** Returns the typed flags by setting name. False stands for a negated switch. */
export function configSources(command: Command, io: Io): ConfigSources {
  const flags: Record<string, string | boolean | undefined> = {}
  for (const option of command.options) {
    if (!(option instanceof SettingOption)) continue
    const value: unknown = command.getOptionValue(option.attributeName())
    if (typeof value === 'string' || typeof value === 'boolean') flags[option.long?.slice(2) ?? ''] = value
  }
  return { flags, environment: io.environment }
}

/** Returns the settings that this command runs with. Throws ConfigError. */
export function configOf(command: Command, io: Io): Config {
  return loadConfig(configSources(command, io))
}

/** Returns the text typed after a flag. `name` is in camel case. */
export function optionText(command: Command, name: string): string | undefined {
  const value: unknown = command.getOptionValue(name)
  return typeof value === 'string' ? value : undefined
}

/** Returns the texts typed after a flag that takes several. `name` is in camel case. */
export function listOption(command: Command, name: string): string[] {
  const value: unknown = command.getOptionValue(name)
  return Array.isArray(value) ? value.map(String) : []
}

/**
 * Collects the values of a flag that takes one value each time, so that the words after the value stay arguments.
 * `listOption` reads them.
 */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value]
}

/** Returns a flag's value as a number. NaN, which no operation accepts, stands for anything but digits. */
export function wholeNumberOption(command: Command, name: string): number | undefined {
  const text = optionText(command, name)
  if (text === undefined) return undefined
  return /^\d+$/.test(text) ? Number(text) : Number.NaN
}

/** Returns the row limit of a list command whose flag has a default. */
export function limitOption(command: Command): number {
  return wholeNumberOption(command, 'limit') ?? Number.NaN
}
