/** Speak: a text in the voices of a speech model, played while it is made, in all formats. */
import { useState } from 'preact/hooks'
import { status } from '../../api/session.ts'
import { type AudioFormat, streamedType } from '../../parts/audio/audio-format.ts'
import type { SpeechRequest } from '../../parts/audio/speech-player.ts'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Page } from '../../parts/page.tsx'
import { CallForm } from '../../parts/play/call-form.tsx'
import { PickedModel } from '../../parts/play/picked-model.tsx'
import type { PlayModel } from '../../parts/play/play-models.ts'
import { RawDrawer } from '../../parts/play/raw-drawer.tsx'
import { TextArea } from '../../parts/play/text-area.tsx'
import { useDraft } from '../../parts/play/use-draft.ts'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/texts.ts'
import { SpeechResult } from './speech-result.tsx'
import { SpeedField } from './speed-field.tsx'
import { useSpeech } from './use-speech.ts'
import { VoiceChoice } from './voice-choice.tsx'

export default function Speak() {
  return (
    <Page title={texts.speak.title} intro={texts.speak.intro}>
      <PickedModel types={['tts']}>{(model) => <SpeakBy key={model.id} model={model} />}</PickedModel>
    </Page>
  )
}

function SpeakBy({ model }: { readonly model: PlayModel }) {
  const [text, setText] = useDraft('speak', texts.speak.example)
  const [voice, setVoice] = useState('alloy')
  const [speed, setSpeed] = useState(1)
  const [format, setFormat] = useState<AudioFormat>('mp3')
  const { call, durationSeconds, attach, speak } = useSpeech()

  const maximum = status.value?.limits?.speech_chars ?? 20_000
  const characters = [...text].length
  const request = (input: string): SpeechRequest => ({
    ...{ model: model.id, input, voice, response_format: format },
    ...(speed !== 1 && { speed }),
  })
  return (
    <div class="stack">
      <CallForm
        call={call}
        model={model.id}
        button={texts.speak.speak}
        isReady={text.trim() !== '' && characters <= maximum}
        onSend={() => speak(request(text))}
        hasBegun={call.result !== undefined && call.result.bytes > 0 && call.result.whole === undefined}
      >
        <TextArea
          label={texts.speak.text}
          value={text}
          rows={6}
          hint={texts.speak.count(characters, maximum)}
          problem={characters > maximum ? texts.speak.tooLong(characters, maximum) : undefined}
          onInput={setText}
          onSend={() => speak(request(text))}
        />
        <div class="options">
          <div class="stack tight">
            <VoiceChoice model={model.id} voices={model.voices ?? []} value={voice} onChange={setVoice} />
            <div>
              <button
                type="button"
                class="small"
                disabled={call.isRunning}
                onClick={() => void speak(request(texts.speak.sampleText(voice)))}
              >
                <Icon name="volume-2" /> {texts.speak.sample}
              </button>
            </div>
            <p class="hint">{texts.speak.sampleHint}</p>
          </div>
          <SpeedField value={speed} onChange={setSpeed} />
          <div class="stack tight">
            <Select
              label={texts.speak.format}
              value={format}
              choices={texts.speak.formats}
              onChange={(chosen) => setFormat(chosen)}
            />
            <p class="hint">{streamedType(format) === undefined ? texts.speak.whenWhole : texts.speak.whilePlaying}</p>
          </div>
        </div>
      </CallForm>
      <SpeechResult speech={call.result} isRunning={call.isRunning} durationSeconds={durationSeconds} attach={attach} />
      <CodeDrawer call={{ path: '/audio/speech', body: { ...request(text) }, output: `speech.${format}` }} />
      {call.result?.whole !== undefined && (
        <RawDrawer request={call.result.body} response={texts.speak.rawAudio(call.result.bytes)} />
      )}
    </div>
  )
}
