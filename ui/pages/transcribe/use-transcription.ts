import { useEffect, useState } from 'preact/hooks'
import type { Progress } from '../../../src/wire/pages/progress.ts'
import { type Uploaded, upload } from '../../api/upload.ts'
import { tell } from '../../parts/announce.tsx'
import { type Call, useCall } from '../../parts/play/use-call.ts'
import { askBeforeLeaving } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { followProgress, newProgressId, type Upload } from './progress.ts'
import type { TranscriptionAnswer } from './transcript.ts'

/** Fields of the form except the file */
export interface TranscriptionFields {
  readonly model: string
  readonly response_format: 'verbose_json'
  readonly language?: string
  readonly diarize?: true
  readonly min_speakers?: number
  readonly max_speakers?: number
  readonly timestamp_granularities?: readonly string[]
}

export interface Transcribed extends Uploaded<TranscriptionAnswer> {
  readonly file: File
  readonly fields: TranscriptionFields
}

type RecordingPath = '/audio/transcriptions' | '/audio/translations'

interface TranscriptionCall {
  readonly call: Call<Transcribed>
  readonly upload: Upload
  readonly progress: Progress | undefined
  readonly start: (file: File, path: RecordingPath, fields: TranscriptionFields) => Promise<void>
}

const nothingSent: Upload = { sentBytes: 0, totalBytes: 0 }

/** Uploads a recording and awaits its transcript. Leaving the page meanwhile asks for confirmation. */
export function useTranscription(): TranscriptionCall {
  const call = useCall<Transcribed>()
  const [sent, setSent] = useState(nothingSent)
  const [progress, setProgress] = useState<Progress>()

  useEffect(() => {
    askBeforeLeaving(call.isRunning ? texts.transcribe.leave : undefined)
    return () => askBeforeLeaving(undefined)
  }, [call.isRunning])

  const start = (file: File, path: RecordingPath, fields: TranscriptionFields) =>
    call.start(async (signal) => {
      setSent({ sentBytes: 0, totalBytes: file.size })
      setProgress(undefined)
      const progressId = newProgressId()
      const done = new AbortController()
      const both = AbortSignal.any([signal, done.signal])
      void followProgress(progressId, both, setProgress)
      try {
        const uploaded = await upload<TranscriptionAnswer>(`/dashboard/v1${path}`, {
          form: toForm(fields, file),
          headers: { 'x-progress-id': progressId },
          signal,
          onSent: (sentBytes, totalBytes) => setSent({ sentBytes, totalBytes }),
        })
        tell(texts.transcribe.done(uploaded.answer.text.split(/\s+/).filter((word) => word !== '').length))
        return { ...uploaded, file, fields }
      } finally {
        done.abort()
      }
    })

  return { call, upload: sent, progress, start }
}

/** Returns the form with the fields first, so that their errors are reported before the file is read. */
function toForm(fields: TranscriptionFields, file: File): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) for (const item of value) form.append(`${name}[]`, String(item))
    else form.append(name, String(value))
  }
  form.append('file', file)
  return form
}
