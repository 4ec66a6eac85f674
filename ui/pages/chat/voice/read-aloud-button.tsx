import { useEffect, useRef } from 'preact/hooks'
import { noConnection } from '../../../api/failure.ts'
import { alarm } from '../../../parts/announce.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { helperModel } from '../../../parts/play/play-models.ts'
import { priceText } from '../../../parts/play/price-text.ts'
import { texts } from '../../../texts/texts.ts'
import { reading } from './reading.ts'

/** Reads an answer aloud, and stops that. Shows nothing if no speech model is on this disk. */
export function ReadAloudButton({ text }: { readonly text: string }) {
  const of = useRef({}).current
  const model = helperModel('tts')
  const isReading = reading.value?.of === of
  useEffect(() => () => stopReading(of), [of])
  if (model === undefined || text === '') return null

  const read = () => {
    if (isReading) return stopReading(of)
    import('./read-aloud.ts').then(
      ({ readAloud }) => readAloud({ of, model: model.id, text }),
      () => alarm(noConnection().message),
    )
  }
  return (
    <button
      type="button"
      class="quiet icon-button"
      title={isReading ? texts.voice.stopReading : texts.voice.readBy(model.id, priceText(model))}
      onClick={read}
    >
      <Icon name={isReading ? 'square' : 'volume-2'} />
      <span class="unseen">{isReading ? texts.voice.stopReading : texts.voice.read}</span>
    </button>
  )
}

function stopReading(of: object): void {
  const running = reading.peek()
  if (running?.of === of) running.stop()
}
