import { type Command, Option } from 'commander'
import { listSettings, resolveSettings, settingsAsMarkdown } from '../config.ts'
import { type Io, printJson } from './io.ts'
import { addSettingFlags, configSources, newCommand, wantsJson } from './options.ts'
import { formatTable } from './table.ts'

export function configCommand(io: Io): Command {
  const command = addSettingFlags(newCommand('config', 'print the settings a server started here and now would use'))
  // For the README, which a test compares with it.
  command.addOption(new Option('--markdown').hideHelp())
  return command.action(() => {
    if (command.getOptionValue('markdown') === true) {
      io.out(settingsAsMarkdown())
      return
    }
    const resolved = resolveSettings(configSources(command, io))
    const rows = listSettings().map(({ name, tomlKey, isSecret }) => {
      const { value, source } = resolved[name]
      return { key: tomlKey, value: isSecret && value !== undefined ? '(set)' : value, source }
    })
    if (wantsJson(command)) {
      printJson(io, Object.fromEntries(rows.map(({ key, value, source }) => [key, { value: value ?? null, source }])))
      return
    }
    const cells = rows.map(({ key, value, source }) => [
      key,
      value === undefined || String(value) === '' ? '-' : String(value),
      source,
    ])
    io.out(formatTable(['SETTING', 'VALUE', 'FROM'], cells))
  })
}
