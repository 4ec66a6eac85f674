import { suggestion } from '../core/nearest.ts'
import { kindsOfWork, type WorkKind } from '../core/work.ts'
import { CommandError, tryLaterExitCode } from './io.ts'

/** Facts about a model of a server that decide whether a command can use it. */
export interface ListedModel {
  readonly id: string
  readonly aliases: readonly string[]
  readonly type: string
  readonly status: string
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** Reason for the status `broken`. */
  readonly reason?: string | undefined
}

/** Model that a command uses. */
export interface ChosenModel {
  /** Id or alias as it was typed, which requests name. */
  readonly name: string
  readonly id: string
}

/** Returns the models that can do a kind of work now. */
export function usableModels(models: readonly ListedModel[], kind: WorkKind): ListedModel[] {
  const types: readonly string[] = kindsOfWork[kind].modelTypes
  return models.filter(({ type, status }) => types.includes(type) && (status === 'ready' || status === 'loading'))
}

/** Work for which a command needs a model. */
export interface NeededWork {
  readonly kind: WorkKind
  /** Capability that the work needs, if any. */
  readonly capability?: string | undefined
}

/**
 * Returns a model for a work when none is named. Prefers models with the capability, then the ids of `loaded`, then all
 * others to the starter model. Throws CommandError if there is none.
 */
export function usualModel(
  models: readonly ListedModel[],
  { kind, capability }: NeededWork,
  loaded: readonly string[],
): ChosenModel {
  const usable = usableModels(models, kind)
  const able = usable.filter(({ capabilities }) => capability === undefined || capabilities?.[capability] === true)
  const ids = (able.length > 0 ? able : usable).map(({ id }) => id)
  const id =
    ids.find((each) => loaded.includes(each)) ?? ids.find((each) => !each.startsWith('inferd/starter-')) ?? ids[0]
  if (id !== undefined) return { name: id, id }
  throw new CommandError(`there is no model of type ${typesOf(kind)}; 'inferd list' shows which can be pulled`)
}

/** Returns the model of an id or alias. Throws CommandError, with the next step, if it cannot do the work. */
export function namedModel(models: readonly ListedModel[], kind: WorkKind, name: string): ChosenModel {
  const found = models.find(({ id, aliases }) => id === name || aliases.includes(name))
  if (found === undefined) {
    const ids = models.map(({ id }) => id)
    throw new CommandError(`there is no model ${name}${suggestion(name, ids)}; 'inferd list' shows all`)
  }
  const { id, type, status, reason } = found
  const types: readonly string[] = kindsOfWork[kind].modelTypes
  if (!types.includes(type))
    throw new CommandError(`${name} is of type ${type}; this command takes a model of type ${typesOf(kind)}`)
  if (status === 'available') throw new CommandError(`${name} is not on this disk; 'inferd pull ${id}' downloads it`)
  if (status === 'downloading') {
    const message = `${name} is being downloaded; 'inferd list' shows how far it is`
    throw new CommandError(message, { exitCode: tryLaterExitCode })
  }
  if (status === 'broken') throw new CommandError(`${name} cannot be used: ${reason}; 'inferd verify ${id}' tells more`)
  return { name, id }
}

function typesOf(kind: WorkKind): string {
  return kindsOfWork[kind].modelTypes.join(' or ')
}
