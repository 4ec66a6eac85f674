import { texts } from '../../texts/texts.ts'
import type { LoadingModel } from './model-state.tsx'

/** Returns "Loading, 12 s, 63 %" or "Waiting, 3 s, 2 before you". */
export function waitText(row: LoadingModel | undefined, seconds: number): string {
  const { play } = texts
  const isLoading = row !== undefined && row.state !== 'ready'
  const parts = [isLoading ? play.loading : play.waiting, play.seconds(seconds)]
  if (isLoading && row.loadedFraction !== null) parts.push(play.percent(Math.floor(row.loadedFraction * 100)))
  const before = (row?.waiting ?? 0) - 1
  if (before > 0) parts.push(play.beforeYou(before))
  return parts.join(', ')
}
