import { type Command, Option } from 'commander'
import { loadConfig } from '../config/config.ts'
import { listSettings } from '../config/settings.ts'
import { enginesInFile, pricesInFile, settingsInForce } from '../config/shown-settings.ts'
import { nanoToDecimal, nanoToUsd } from '../core/money.ts'
import { formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { addSettingFlags, configSources, newCommand } from './options.ts'

export function configCommand(io: Io): Command {
  const command = addSettingFlags(newCommand('config', 'print the settings a server started here and now would use'))
  // For the README, which a test compares with it.
  command.addOption(new Option('--markdown').hideHelp())
  return command.action(() => {
    if (command.getOptionValue('markdown') === true) {
      io.out(settingsAsMarkdown())
      return
    }
    const config = loadConfig(configSources(command, io))
    const { prices, models } = config
    const rows = settingsInForce(config)
    const answer = {
      ...Object.fromEntries(rows.map(({ key, value, source }) => [key, { value: value ?? null, source }])),
      prices: Object.fromEntries([...prices].map(([id, override]) => [id, pricesInFile(override, nanoToUsd)])),
      models: Object.fromEntries([...models].map(([id, override]) => [id, enginesInFile(override)])),
    }
    const shown = [
      ...rows.map(({ key, value, source }) => ({ key, source, value: String(value ?? '') || '-' })),
      ...[...prices].map(([id, override]) => inFile(`prices."${id}"`, pricesInFile(override, nanoToDecimal))),
      ...[...models].flatMap(([id, override]) =>
        Object.entries(enginesInFile(override)).map(([engine, values]) => inFile(`models."${id}".${engine}`, values)),
      ),
    ]
    printAnswer(command, io, answer, () =>
      formatTable(shown, { SETTING: ({ key }) => key, VALUE: ({ value }) => value, FROM: ({ source }) => source }),
    )
  })
}

/** A table of the file. */
function inFile(key: string, values: object) {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  return { key, value: pairs.join(' '), source: 'config.toml' }
}

/** The README's table. */
function settingsAsMarkdown(): string {
  const rows = listSettings().map(
    ({ flag, offFlag, environment, tomlKey: key, allowed, defaultText, help }) =>
      `| \`${flag.split(' ')[0]}\`${offFlag === undefined ? '' : `, \`${offFlag}\``} | \`${environment}\` | \`${key}\` | ${allowed} | ${defaultText} | ${help} |`,
  )
  const head = ['| Flag | Environment | config.toml | Allowed | Default | What it does |', '|---|---|---|---|---|---|']
  return [...head, ...rows, ''].join('\n')
}
