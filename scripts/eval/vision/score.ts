import { markdownTable } from '../../shared/markdown-table.ts'

/** Question with the answers of all ways to ask it. */
export interface AskedQuestion {
  readonly kind: string
  readonly question: string
  readonly expected: string
  /** Answers by way: a dialect, or llama-server. */
  readonly answers: ReadonlyMap<string, string>
}

export interface KindScore {
  readonly kind: string
  readonly questions: number
  /** Answers of the first way that are word for word as expected. */
  readonly right: number
  /** Questions that the ways answered differently. */
  readonly different: number
}

/** Returns the score of each kind in alphabetical order, and that of all at the end. */
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
