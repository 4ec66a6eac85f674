import { useState } from 'preact/hooks'
import { downloads } from '../../../api/downloads.ts'
import { asFailure, type RequestFailure } from '../../../api/failure.ts'
import { perform } from '../../../api/operation.ts'
import { FailureBox } from '../../../parts/failure-box.tsx'
import { Placeholder } from '../../../parts/loaded.tsx'
import { modelAddress } from '../../../parts/model-mark.tsx'
import { DownloadBar } from '../../../parts/operator/download-bar.tsx'
import { texts } from '../../../texts/get-texts.ts'

interface DownloadProgressProps {
  readonly model: string
  /** True for an import from a disk. */
  readonly isImport?: boolean
  readonly onClose: () => void
}

/** Shows a download that began here, to its end. */
export function DownloadProgress({ model, isImport = false, onClose }: DownloadProgressProps) {
  const [failure, setFailure] = useState<RequestFailure>()
  const pull = downloads.value.get(model)
  const words = texts.getModel
  const isRunning = pull === undefined || pull.state === 'running'
  const cancel = () => perform('models-pull-cancel', { model }).catch((error: unknown) => setFailure(asFailure(error)))
  return (
    <>
      <div class="stack" aria-live="polite">
        {pull === undefined && <Placeholder lines={2} />}
        {pull?.state === 'running' && <DownloadBar pull={pull} />}
        {isRunning && <p class="hint">{words.continues}</p>}
        {pull?.state === 'done' && <p class="ok">{words.isDone}</p>}
        {pull?.state === 'cancelled' && <p>{isImport ? words.importCancelled : words.wasCancelled}</p>}
        {pull?.state === 'failed' && (
          <p class="bad">{(isImport ? words.importFailed : texts.models.downloadFailed)(pull.error ?? '')}</p>
        )}
      </div>
      {failure !== undefined && <FailureBox failure={failure} />}
      <div class="actions">
        {isRunning && (
          <button type="button" class="quiet" onClick={() => void cancel()}>
            {texts.models.cancelDownload}
          </button>
        )}
        {pull?.state === 'done' && (
          <a class="button" href={modelAddress(model)}>
            {words.open}
          </a>
        )}
        <button type="button" class="primary" onClick={onClose}>
          {texts.shared.close}
        </button>
      </div>
    </>
  )
}
