import { texts } from '../../texts/texts.ts'

/** A row of GET /dashboard/api/models/loading. */
export interface AwaitedModel {
  readonly model: string
  readonly state: string
  /** From 0 to 1, null while it is not known. */
  readonly progress: number | null
  /** Since when it is in that state, ISO 8601. */
  readonly since: string | null
  /** Requests that wait for it. */
  readonly waiting: number
}

/** "Loading, 12 s, 63 %", "Waiting, 3 s, 2 before you". */
export function waitText(row: AwaitedModel | undefined, seconds: number): string {
  const { play } = texts
  const isLoading = row !== undefined && row.state !== 'ready'
  const parts = [isLoading ? play.loading : play.waiting, play.seconds(seconds)]
  if (isLoading && row.progress !== null) parts.push(play.percent(Math.floor(row.progress * 100)))
  const before = (row?.waiting ?? 0) - 1
  if (before > 0) parts.push(play.beforeYou(before))
  return parts.join(', ')
}
