import { allowedText, type ConfigRow } from '../../src/config/kinds.ts'
import { providerSettings } from '../../src/config/oidc.ts'
import { listSettings } from '../../src/config/settings.ts'
import { tomlKey } from '../../src/core/setting.ts'
import { code, markdownTable } from './markdown.ts'

/** Returns docs/reference/settings.md: the table of src/config/settings.ts. */
export function settingsPage(): string {
  const rows = listSettings().map(({ flag, offFlag, environment, tomlKey, allowed, defaultText, help }) => [
    [flag.split(' ')[0] ?? '', offFlag].flatMap((name) => (name === undefined ? [] : [code(name)])).join(', '),
    ...[code(environment), code(tomlKey), allowed, defaultText, help],
  ])
  return `# Settings

Each setting is a flag of \`inferd serve\`, an environment variable and a line of \`config.toml\`. Flags win over variables, variables
over the file. [operations.md](../operations.md#settings) says where the file is, and how a setting is made for one model.

${markdownTable(['Flag', 'Environment', 'config.toml', 'Allowed', 'Default', 'What it does'], rows)}

## Identity providers

Each \`[oidc.NAME]\` of \`config.toml\` is a provider. Its tables \`roles\`, \`teams\` and \`limits\` say which groups give what.

${markdownTable(['config.toml', 'Allowed', 'Default', 'What it does'], providerRows())}
`
}

function providerRows(): string[][] {
  return Object.entries<ConfigRow>(providerSettings).map(([name, row]) => [
    ...[code(tomlKey(name)), allowedText(row), row.defaultText ?? row.fallback ?? 'none', row.help],
  ])
}
