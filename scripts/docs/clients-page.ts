import manifest from '../../package.json'
import { testedClients } from '../clients/tested-clients.ts'
import { asSentence, code, markdownTable } from './markdown.ts'

/** Returns docs/reference/clients.md: the table of scripts/clients/tested-clients.ts with the versions of package.json. */
export function clientsPage(): string {
  const versions: Readonly<Record<string, string>> = manifest.devDependencies
  const rows = Object.entries(testedClients).map(([name, { runs, lacks = '' }]) => {
    const version = versions[name] ?? ''
    // An alias: `npm:openai@4.0.0` is openai 4.0.0.
    const [, realName = name, realVersion = version] = /^npm:(.+)@(.+)$/.exec(version) ?? []
    return [code(realName), realVersion, asSentence(runs), asSentence(lacks)]
  })
  return `# Tested clients

\`bun run clients\`, a part of the checks of every change, runs these versions over real sockets. "Tools" is a conversation of two turns: a
call, and its result, which is answered. [How to point clients here](../clients.md).

${markdownTable(['Package', 'Version', 'What is run', 'What it cannot do'], rows)}
`
}
