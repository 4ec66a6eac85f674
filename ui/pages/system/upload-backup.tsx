import { useRef, useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { asFailure, type RequestFailure } from '../../api/failure.ts'
import { upload } from '../../api/upload.ts'
import { FailureBox } from '../../parts/failure-box.tsx'
import { texts } from '../../texts/system-texts.ts'

type Added = OperationJson<'backups-add-upload'>

/** Uploads a backup, which the server checks as a whole. `onAdded` gets what it holds. */
export function UploadBackup({ onAdded }: { readonly onAdded: (added: Added) => Promise<void> }) {
  const words = texts.system
  const picker = useRef<HTMLInputElement>(null)
  const [failure, setFailure] = useState<RequestFailure>()
  const [sending, setSending] = useState<{ readonly share: number; readonly stop: AbortController }>()

  const send = async (file: File) => {
    const stop = new AbortController()
    const form = new FormData()
    form.set('backup', file)
    setFailure(undefined)
    setSending({ share: 0, stop })
    try {
      const { answer } = await upload<{ readonly result: Added }>('/admin/api/backups', {
        form,
        signal: stop.signal,
        onSent: (sent, total) => setSending({ share: sent / total, stop }),
      })
      await onAdded(answer.result)
    } catch (error) {
      if (!stop.signal.aborted) setFailure(asFailure(error))
    } finally {
      setSending(undefined)
    }
  }

  return (
    <>
      <button type="button" disabled={sending !== undefined} onClick={() => picker.current?.click()}>
        {words.uploadBackup}
      </button>
      <input
        ref={picker}
        hidden
        type="file"
        aria-label={words.uploadBackup}
        accept=".tar,application/x-tar"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          currentTarget.value = ''
          if (file !== undefined) void send(file)
        }}
      />
      {sending !== undefined && (
        <span class="progress-line">
          <progress aria-label={words.uploading} {...(sending.share < 1 && { value: sending.share, max: 1 })} />
          <span>{sending.share < 1 ? words.uploading : words.checkingUpload}</span>
          <button type="button" class="small quiet" onClick={() => sending.stop.abort()}>
            {texts.shared.stop}
          </button>
        </span>
      )}
      {failure !== undefined && <FailureBox failure={failure} />}
    </>
  )
}
