import { Command } from 'commander'
import { allFiles } from '../catalog/locate-files.ts'
import type { ModelFile } from '../core/model.ts'
import { eachOf } from '../store/each-of.ts'
import type { CheckedFile } from '../store/sources/check-source.ts'
import { count, formatTable } from './format.ts'
import { CommandError, type Io, printAnswer, tryLaterExitCode } from './io.ts'
import { configOf, newCommand } from './options.ts'
import { stoppable } from './stoppable.ts'

export function catalogCommand(io: Io): Command {
  return new Command('catalog').description('the models there are').addCommand(checkCommand(io))
}

interface Row {
  readonly model: string
  readonly file: ModelFile
  readonly checked: CheckedFile
}

const filesAtOnce = 4

/** Longest wait for a busy server: beyond it a file counts as unreachable. */
const longestWishMs = 10_000

function checkCommand(io: Io): Command {
  const command = newCommand('check', 'ask where models come from whether all files are as their manifests say')
    .argument('[id...]', 'models; all of the catalog if none is named')
    .option('--insecure', 'allow plain http and redirects to private addresses')
  return command.action(async (ids: string[]) => {
    const config = configOf(command, io)
    const { openHub } = await import('../library/open-hub.ts')
    const { checkSource } = await import('../store/sources/check-source.ts')
    const hub = openHub(config, io.environment, {
      isInsecureAllowed: command.getOptionValue('insecure') === true,
      questions: { longestWishMs },
    })
    const files = await filesToCheck(config.data, ids)
    const rows = await stoppable('stopped', (signal) =>
      eachOf(files, filesAtOnce, async (each): Promise<Row> => {
        return { ...each, checked: await checkSource(each.file, hub, signal) }
      }),
    )
    printAnswer(command, io, rows.map(toJson), () => report(rows))
    requireSound(rows)
  })
}

async function filesToCheck(dataDir: string, ids: readonly string[]) {
  const { openCatalog } = await import('../catalog/open-catalog.ts')
  const catalog = openCatalog(dataDir)
  const wanted = ids.map((id) => {
    const found = catalog.resolve(id)
    if (found !== undefined) return found.entry
    throw new CommandError(`the catalog has no model "${id}"; 'inferd list' shows those there are`)
  })
  const entries = ids.length === 0 ? catalog.entries() : wanted
  return entries.flatMap(({ manifest }) =>
    allFiles(manifest).flatMap((file) => (file.url === undefined ? [] : { model: manifest.id, file })),
  )
}

function report(rows: readonly Row[]): string {
  const table = formatTable(rows, {
    MODEL: ({ model }) => model,
    FILE: ({ file }) => file.name,
    STATE: ({ checked }) => (checked.kind === 'ok' && checked.lines.length > 0 ? 'not confirmed' : checked.kind),
    NOTE: ({ checked }) => noteOf(checked),
  })
  const lines = rows.flatMap(({ model, file, checked }) =>
    'lines' in checked && checked.lines.length > 0
      ? [`\n# ${model}: for the file whose url is ${file.url}`, ...checked.lines]
      : [],
  )
  return table + lines.map((line) => `${line}\n`).join('')
}

function noteOf(checked: CheckedFile): string {
  if (checked.kind === 'differs') return checked.differences.join('; ')
  return checked.kind === 'ok' ? '' : checked.reason
}

function toJson({ model, file, checked }: Row): object {
  return { model, file: file.name, url: file.url, ...checked }
}

/** Throws CommandError if a file is gone or has changed, or its source does not answer. */
function requireSound(rows: readonly Row[]): void {
  const number = (...kinds: CheckedFile['kind'][]) => rows.filter(({ checked }) => kinds.includes(checked.kind)).length
  const [wrong, silent] = [number('differs', 'gone'), number('unreachable')]
  if (wrong > 0) throw new CommandError(`${count(wrong, 'file')} of ${rows.length} not as the manifests say`)
  if (silent === 0) return
  throw new CommandError(`${count(silent, 'file')} of ${rows.length} could not be asked for; try again later`, {
    exitCode: tryLaterExitCode,
  })
}
