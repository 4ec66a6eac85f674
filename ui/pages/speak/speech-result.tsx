import { useEffect, useState } from 'preact/hooks'
import { isPlayable } from '../../parts/audio/audio-format.ts'
import type { Speech } from '../../parts/audio/speech-player.ts'
import { Icon } from '../../parts/icon.tsx'
import { RequestFigures } from '../../parts/play/request-figures.tsx'
import { ResultTitle } from '../../parts/play/result-title.tsx'
import { durationText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'

interface SpeechResultProps {
  readonly speech: Speech | undefined
  readonly isRunning: boolean
  readonly durationSeconds: number | undefined
  readonly attach: (element: HTMLAudioElement | null) => void
}

/** Shows the player, which exists before the speech does, the file to download, and the figures. */
export function SpeechResult({ speech, isRunning, durationSeconds, attach }: SpeechResultProps) {
  return (
    <section class="stack" hidden={speech === undefined}>
      <ResultTitle>{texts.speak.result}</ResultTitle>
      {/* biome-ignore lint/a11y/useMediaCaption: what is spoken is the text above. */}
      <audio ref={attach} controls class="player" aria-label={texts.speak.result} />
      {speech !== undefined && <Made speech={speech} isRunning={isRunning} durationSeconds={durationSeconds} />}
    </section>
  )
}

type MadeProps = Omit<SpeechResultProps, 'speech' | 'attach'> & { readonly speech: Speech }

function Made({ speech, isRunning, durationSeconds }: MadeProps) {
  const { body, requestId, firstByteMs, bytes, whole } = speech
  const format = body.response_format
  const name = `speech.${format}`
  const url = useObjectUrl(whole?.file)
  const size = `${(bytes / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} kB`
  return (
    <>
      {!isPlayable(format) && <p class="warn">{texts.speak.unplayable(format)}</p>}
      {url === undefined ? (
        <p class="muted number">{isRunning ? texts.speak.arriving(size) : texts.speak.stopped(size)}</p>
      ) : (
        <div class="row">
          <a class="button" href={url} download={name}>
            <Icon name="download" /> {texts.speak.download(name)}
          </a>
          <span class="muted number">{size}</span>
        </div>
      )}
      {!isRunning && (
        <RequestFigures
          requestId={requestId}
          own={[
            [texts.speak.firstByte, durationText(firstByteMs)],
            ...(whole === undefined || durationSeconds === undefined || durationSeconds === 0
              ? []
              : ([
                  [texts.speak.audio, durationText(durationSeconds * 1_000)],
                  [texts.speak.realTimeFactor, (whole.madeInMs / 1_000 / durationSeconds).toFixed(2)],
                ] as const)),
          ]}
        />
      )}
    </>
  )
}

/** Returns the file's object URL for as long as it is shown. */
function useObjectUrl(file: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (file === undefined) {
      setUrl(undefined)
      return
    }
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}
