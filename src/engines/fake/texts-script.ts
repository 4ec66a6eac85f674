/** What the fake engine makes of texts: as the first input or the query says, where that is a script. */
import type { Work } from '../../core/work.ts'
import type { FakeSideAction } from './perform-action.ts'
import type { FakeAction } from './script.ts'

export type FakeTextsAction = FakeSideAction | Extract<FakeAction, { error: unknown }>

export interface FakeTextsScript {
  /** Played once the work is granted. An `error` that comes first is raised before that, as of texts that are too long. */
  readonly script: readonly FakeTextsAction[]
  readonly promptTokens: number
  /** Tokens that are processed when a cancel comes during the script; absent: all. */
  readonly prefillTokens?: number
}

/** Each word is a token; a document is read together with the query. */
export function readTextsScript(work: Work<'embed' | 'rerank'>): FakeTextsScript {
  const defaults = { script: [], promptTokens: countTokens(work) }
  const first = work.kind === 'embed' ? work.request.inputs[0] : work.request.query
  if (typeof first !== 'string' || !first.startsWith('{"script":')) return defaults
  return { ...defaults, ...JSON.parse(first) }
}

function countTokens({ kind, request }: Work<'embed' | 'rerank'>): number {
  const counts =
    kind === 'embed'
      ? request.inputs.map((input) => (typeof input === 'string' ? wordsOf(input).length : input.length))
      : request.documents.map((document) => wordsOf(request.query).length + wordsOf(document).length)
  return counts.reduce((sum, count) => sum + count, 0)
}

export function wordsOf(text: string): string[] {
  return text.match(/\S+/g) ?? []
}
