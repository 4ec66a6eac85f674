import { markdownTable } from '../../shared/markdown-table.ts'

/** One question as every way of asking answered it. */
export interface AskedQuestion {
  readonly kind: string
  readonly question: string
  readonly expected: string
  /** The answers by the way: a dialect, or llama-server. */
  readonly answers: ReadonlyMap<string, string>
}

export interface KindScore {
  readonly kind: string
  readonly questions: number
  /** Answered word for word as expected, by the first way. */
  readonly right: number
  /** Questions to which the ways gave different answers. */
  readonly different: number
}

/** The score of each kind in alphabetical order, and of all together at the end. */
export function scoreByKind(asked: readonly AskedQuestion[]): KindScore[] {
  const kinds = [...new Set(asked.map(({ kind }) => kind))].sort()
  const scores = kinds.map((kind) =>
    score(
      kind,
      asked.filter((each) => each.kind === kind),
    ),
  )
  return [...scores, score('all', asked)]
}

function score(kind: string, asked: readonly AskedQuestion[]): KindScore {
  return {
    ...{ kind, questions: asked.length },
    right: asked.filter(isRight).length,
    different: asked.filter(({ answers }) => new Set(answers.values()).size > 1).length,
  }
}

export function isRight({ answers, expected }: AskedQuestion): boolean {
  const [first] = answers.values()
  return first === expected
}

export function renderScores(scores: readonly KindScore[]): string {
  const percent = ({ right, questions }: KindScore) => `${Math.round((right / questions) * 100)} %`
  const rows = scores.map((each) => [each.kind, `${each.questions}`, percent(each), `${each.different}`])
  return markdownTable(['question', 'n', 'right', 'answered differently'], rows).join('\n')
}
