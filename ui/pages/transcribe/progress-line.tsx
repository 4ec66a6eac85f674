import type { Progress } from '../../../src/wire/pages/progress.ts'
import { progressShown, type Upload } from './progress.ts'

/** A bar and words: the upload, then what the server does. */
export function ProgressLine({
  upload,
  progress,
}: {
  readonly upload: Upload
  readonly progress: Progress | undefined
}) {
  const { text, share } = progressShown(upload, progress)
  return (
    <div class="progress-line">
      <progress aria-label={text} {...(share !== undefined && { value: share, max: 1 })} />
      <p class="number">{share === undefined ? text : `${text} · ${Math.floor(share * 100)} %`}</p>
    </div>
  )
}
