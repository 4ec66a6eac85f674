import type { DownloadEvent } from '../../../src/wire/pages/live.ts'
import { texts } from '../../texts/operator-texts.ts'
import { bytesText } from '../bytes-text.ts'
import { durationText } from '../time-text.ts'

/** Shows the progress of a running download as a bar and in words. */
export function DownloadBar({ pull }: { readonly pull: DownloadEvent }) {
  return (
    <>
      <progress value={pull.bytes} max={Math.max(1, pull.total)} aria-label={texts.downloads.progressOf(pull.model)} />
      <span class="sub">{downloadText(pull)}</span>
    </>
  )
}

/** Returns text such as "1.2 GB of 2.3 GB, 41 MB/s, 27 s left". */
export function downloadText({ bytes, total, rate, trouble }: DownloadEvent): string {
  const { done, rate: perSecond, left, waiting } = texts.downloads
  const parts = [done(bytesText(bytes), bytesText(total))]
  if (rate === null || rate <= 0) return [...parts, trouble ?? waiting].join(', ')
  return [...parts, perSecond(bytesText(rate)), left(durationText(Math.ceil((total - bytes) / rate) * 1_000))].join(
    ', ',
  )
}
