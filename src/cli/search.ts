import type { Command } from 'commander'
import { sizeText } from '../core/quantities.ts'
import { type Columns, formatTable } from './format.ts'
import { type Io, printAnswer } from './io.ts'
import { newCommand } from './options.ts'
import { type OperationAnswer, operationTarget, perform } from './perform.ts'

type Repository = OperationAnswer<'hub-search'>['repositories'][number]
type Model = OperationAnswer<'hub-files'>['models'][number]

/** Time to wait for the server, which itself waits for the hub. */
const patienceMs = 30_000

export function searchCommand(io: Io): Command {
  const command = newCommand('search', 'search the hub for GGUF models, or list those of a repository').argument(
    '<words...>',
    'words of its name, or org/repository',
  )
  return command.action(async (given: string[]) => {
    const words = given.join(' ')
    const target = operationTarget(command, io, patienceMs)
    if (/^[^\s/]+\/[^\s/]+$/.test(words)) {
      const files = await perform(target, 'hub-files', { repository: words })
      return printAnswer(command, io, files, () => filesText(io, files))
    }
    const found = await perform(target, 'hub-search', { words })
    printAnswer(command, io, found, () => foundText(io, found))
  })
}

const repositoryColumns: Columns<Repository> = {
  REPOSITORY: ({ id }) => id,
  TYPE: ({ type }) => type ?? '-',
  DOWNLOADS: ({ downloads }) => downloads?.toLocaleString('en') ?? '-',
  CHANGED: ({ changedMs }) => (changedMs === null ? '-' : new Date(changedMs).toISOString().slice(0, 10)),
  LICENCE: ({ license, isGated }) => `${license ?? '-'}${isGated ? ', gated' : ''}`,
}

function foundText(io: Io, { host, repositories }: OperationAnswer<'hub-search'>): string {
  const [first] = repositories
  if (first === undefined) return `${host} has no GGUF repository with these words.\n`
  return io.hint(
    `${formatTable(repositories, repositoryColumns, { spare: 2 })}\n'inferd search ${first.id}' lists its models.\n`,
  )
}

const fits: Readonly<Record<NonNullable<Model['fit']>['verdict'], string>> = {
  fits: 'fits beside the others',
  alone: 'fits alone',
  'too-large': 'too large',
}

const modelColumns: Columns<Model> = {
  QUANTIZATION: ({ name, isRecommended }) => `${name}${isRecommended ? ' (recommended)' : ''}`,
  SIZE: ({ bytes }) => (bytes === null ? '-' : sizeText(bytes)),
  MEMORY: ({ fit }) => (fit === null ? '-' : fits[fit.verdict]),
  SOURCE: ({ source }) => source,
}

function filesText(io: Io, { repository, projector, models }: OperationAnswer<'hub-files'>): string {
  const chosen = models.find(({ isRecommended }) => isRecommended) ?? models[0]
  if (chosen === undefined) return `${repository.id} has no GGUF model that can be served.\n`
  const { license, isGated } = repository
  const about = `Licence ${license ?? 'not stated'}${isGated ? '; gated: it must be accepted on the site of the hub' : ''}.\n`
  const withProjector = projector === null ? '' : ' --mmproj'
  const pull = `'inferd pull ${chosen.source} --id ${chosen.id}${withProjector}' downloads ${chosen.name}.\n`
  return io.hint(`${about}\n${formatTable(models, modelColumns, { spare: 1 })}\n${pull}`)
}
