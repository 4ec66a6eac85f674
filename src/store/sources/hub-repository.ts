/** Repositories of GGUF models on a hub: a search, and the facts about one. Answers are checked, since a hub is not trusted. */
import type { HubAddress } from '../../catalog/hub-address.ts'
import type { ModelType } from '../../core/model.ts'
import { repositoryPattern } from '../../core/repository-name.ts'
import { readJson } from '../web/read-json.ts'
import { WebError } from '../web/web-error.ts'
import type { Hub } from './hub.ts'

export interface HubRepository {
  /** `org/repository` */
  readonly id: string
  /** Downloads of the last month. */
  readonly downloads: number | undefined
  readonly likes: number | undefined
  /** Time of the last change, milliseconds UTC. */
  readonly changedMs: number | undefined
  /** Guess of what its models are. Undefined if the hub does not tell. */
  readonly type: ModelType | undefined
  readonly license: string | undefined
  /** True if its files are only sent to accounts that accepted its licence on the hub's site. */
  readonly isGated: boolean
  readonly contextLength: number | undefined
}

const answerLimitBytes = 8 * 1024 * 1024
const idPattern = new RegExp(`^${repositoryPattern}$`)

/** Fields that a search asks for: without them the hub leaves out licence and gate. */
const fields = ['downloads', 'likes', 'lastModified', 'gated', 'pipeline_tag', 'tags', 'gguf']

/** Returns repositories with GGUF files whose names hold the words, the most downloaded first. Throws WebError. */
export async function searchHub(
  hub: Hub,
  { words, limit }: { readonly words: string; readonly limit: number },
  signal: AbortSignal,
): Promise<HubRepository[]> {
  const address = new URL(`${hub.endpoint}/api/models`)
  const asked = { search: words, filter: 'gguf', sort: 'downloads', direction: '-1', limit: String(limit) }
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value)
  for (const field of fields) address.searchParams.append('expand[]', field)
  const listed = await askHub(hub, address, signal)
  if (!Array.isArray(listed)) throw notAHub(address)
  return listed.flatMap((entry) => repositoryOf(entry) ?? []).slice(0, limit)
}

/** Returns the facts about one repository. Throws WebError. */
export async function hubRepository(
  hub: Hub,
  { repository, revision }: Pick<HubAddress, 'repository' | 'revision'>,
  signal: AbortSignal,
): Promise<HubRepository> {
  const at = revision === undefined ? '' : `/revision/${encodeURIComponent(revision)}`
  const address = new URL(`${hub.endpoint}/api/models/${repository}${at}`)
  const found = repositoryOf(await askHub(hub, address, signal))
  if (found === undefined) throw notAHub(address)
  return found
}

function askHub({ client }: Hub, address: URL, signal: AbortSignal): Promise<unknown> {
  return client.ask(async () => {
    const answer = await client.get(address, { headers: { accept: 'application/json' }, signal })
    return readJson(answer, answerLimitBytes)
  }, signal)
}

function notAHub({ host }: URL): WebError {
  return new WebError('final', `${host} does not answer as a hub does`)
}

function repositoryOf(entry: unknown): HubRepository | undefined {
  const { id, downloads, likes, lastModified, gated, pipeline_tag: task, tags, cardData, gguf } = Object(entry)
  if (typeof id !== 'string' || !idPattern.test(id)) return undefined
  const named = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
  const changedMs = typeof lastModified === 'string' ? Date.parse(lastModified) : Number.NaN
  return {
    id,
    downloads: countOf(downloads),
    likes: countOf(likes),
    changedMs: Number.isNaN(changedMs) ? undefined : changedMs,
    type: typeOf([...(typeof task === 'string' ? [task] : []), ...named]),
    license: licenseOf(cardData, named),
    isGated: gated === 'auto' || gated === 'manual' || gated === true,
    contextLength: countOf(Object(gguf).context_length),
  }
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined
}

function licenseOf(cardData: unknown, tags: readonly string[]): string | undefined {
  const stated: unknown[] = [Object(cardData).license, tags.find((tag) => tag.startsWith('license:'))?.slice(8)]
  return stated.flat().find((each) => typeof each === 'string' && /^[\w.+-]{1,100}$/.test(each)) as string | undefined
}

/** Types of models by the hub's names of tasks, the surest first. */
const types: Readonly<Record<string, ModelType>> = {
  'image-text-to-text': 'vision',
  'any-to-any': 'vision',
  'text-ranking': 'rerank',
  'sentence-similarity': 'embedding',
  'feature-extraction': 'embedding',
  'text-to-speech': 'tts',
  'automatic-speech-recognition': 'stt',
  'text-generation': 'chat',
}

function typeOf(tasks: readonly string[]): ModelType | undefined {
  const [known] = Object.entries(types).filter(([task]) => tasks.includes(task))
  return known?.[1]
}
