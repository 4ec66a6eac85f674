/** Downloads by the server in the top line: their share, and each with its progress behind a click. */
import { useSignal } from '@preact/signals'
import { downloads, forgetEndedDownloads, forgetRunningDownloads, recordDownloads } from '../api/downloads.ts'
import { asFailure } from '../api/failure.ts'
import { useLive } from '../api/live.ts'
import { perform } from '../api/operation.ts'
import { refreshMe } from '../api/session.ts'
import { alarm, announce } from '../parts/announce.tsx'
import { Icon } from '../parts/icon.tsx'
import { modelAddress } from '../parts/model-mark.tsx'
import { DownloadBar } from '../parts/operator/download-bar.tsx'
import { closeOnEscape, closeWhenLeft } from '../parts/row-menu.tsx'
import { texts } from '../texts/operator-texts.ts'

/** Follows the downloads as long as it is rendered. Shows nothing while none runs and none has failed. */
export function Downloads() {
  useLive(
    {
      pulls: (changed) => {
        const ended = recordDownloads(changed)
        for (const { model, state, error } of ended) {
          if (state === 'done') announce(texts.downloads.isDone(model))
          if (state === 'failed') alarm(texts.downloads.hasFailed(model, error ?? ''))
        }
        if (ended.length > 0) void refreshMe()
      },
    },
    forgetRunningDownloads,
  )
  const all = [...downloads.value.values()]
  const running = all.filter(({ state }) => state === 'running')
  const failed = all.filter(({ state }) => state === 'failed')
  if (running.length + failed.length === 0) return null
  const words = texts.downloads
  const total = running.reduce((sum, each) => sum + each.total, 0)
  const done = running.reduce((sum, each) => sum + each.bytes, 0)
  const percent = Math.floor((100 * done) / Math.max(1, total))
  return (
    <details class="download-menu" onFocusOut={closeWhenLeft} onKeyDown={closeOnEscape}>
      <summary>
        <Icon name="download" />{' '}
        {running.length > 0 ? (
          words.running(running.length, percent)
        ) : (
          <span class="bad">{words.failed(failed.length)}</span>
        )}
      </summary>
      <div class="menu">
        <b>{words.title}</b>
        {running.map((pull) => (
          <div key={pull.model} class="download">
            <a class="breaks" href={modelAddress(pull.model)}>
              {pull.model}
            </a>
            <DownloadBar pull={pull} />
            <CancelButton model={pull.model} />
          </div>
        ))}
        {failed.map(({ model, error }) => (
          <div key={model} class="download">
            <a class="breaks" href={modelAddress(model)}>
              {model}
            </a>
            <span class="sub bad">{words.failedFor(error ?? '')}</span>
          </div>
        ))}
        <div class="actions">
          {failed.length > 0 && (
            <button type="button" class="small quiet" onClick={forgetEndedDownloads}>
              {words.dismiss}
            </button>
          )}
          <a href="/admin/models">{words.toModels}</a>
        </div>
      </div>
    </details>
  )
}

function CancelButton({ model }: { readonly model: string }) {
  const isSent = useSignal(false)
  const cancel = async () => {
    isSent.value = true
    try {
      await perform('models-pull-cancel', { model })
    } catch (error) {
      alarm(texts.models.failedFor(model, asFailure(error).message))
    }
    isSent.value = false
  }
  return (
    <button
      type="button"
      class="small quiet"
      aria-label={texts.downloads.cancelOf(model)}
      disabled={isSent.value}
      onClick={() => void cancel()}
    >
      {texts.downloads.cancel}
    </button>
  )
}
