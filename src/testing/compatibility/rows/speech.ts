import { type Chapters, ignored, refused, supported } from './row.ts'

export const speechRows: Chapters = {
  'audio/speech': {
    sentence: "`POST /v1/audio/speech`, OpenAI's format. [How speech is sent](../speech.md#speech).",
    tables: {
      'Request fields': [
        supported('model', 'id or alias of a model of type `tts`'),
        supported(
          'input',
          'text of at most 20,000 code points (more: 413 `input_too_long`), not only white space; [how it is read](../speech.md#how-texts-are-read). An unpaired surrogate becomes U+FFFD',
        ),
        supported(
          'voice',
          'a name or `{"id": name}` in any case: one of the model\'s, or a [common name](../speech.md#voices)',
        ),
        supported(
          'response_format',
          '`mp3` (default), `wav`, `opus` (in Ogg), `flac` or `pcm` (16-bit little-endian samples of one channel; the header `x-sample-rate` says 24000). `aac` is refused',
        ),
        supported('speed'),
        supported(
          'stream_format',
          '`audio` (default) or `sse`: events `speech.audio.delta` with bytes in base64, then `speech.audio.done`, whose `usage` has `input_characters` and 0 tokens. The header of a WAV file leaves its size open there',
        ),
        ignored(['instructions', 'user'], 'voices cannot be told how to speak'),
      ],
    },
  },
  'audio/transcriptions': {
    sentence:
      "`POST /v1/audio/transcriptions`, OpenAI's format: a form (`multipart/form-data`) with the recording as its file `file`. [What a recording may be](../speech.md#recordings).",
    tables: {
      'Request fields': [
        supported('model', 'id or alias of a model of type `stt`'),
        supported(
          'language',
          'ISO 639-1 (`en`), with a region (`en-US`), or an English word (`english`); left out or `auto`: the model detects it',
        ),
        supported('languages', 'one entry, as `language`'),
        supported(
          ['prompt', 'keywords'],
          'names and phrases that models with the capability `prompt` prefer: the first 100 of at most 8 words, those of a prompt between commas, points and lines. Others ignore them',
        ),
        supported(
          'response_format',
          '`json` (default), `verbose_json`, `text`, `srt`, `vtt`, or `diarized_json`, which labels speakers as `diarize` does, in segments of its own',
        ),
        supported(
          'timestamp_granularities',
          "for `verbose_json`: `segment` (default), `word` or both. With both and `diarize`, each word has the `segment_id` of the model's own segment. `word` alone gives `srt` and `vtt` one cue a word",
        ),
        supported(
          'include',
          '`logprobs` of the tokens, for `json` and `verbose_json` of transducers without `diarize`, also in streams',
        ),
        supported(
          'chunking_strategy',
          '`auto`, or `server_vad` with `threshold`, `silence_duration_ms` (the shortest pause; 1,500 ms always are one) and `prefix_padding_ms`, for models here and at another inferd',
        ),
        supported(
          'stream',
          'for `json` and `text`: an event `transcript.text.delta` for each segment, then `transcript.text.done` and `data: [DONE]`. Refused with `diarize` and `diarized_json`; no effect with other formats',
        ),
        supported(
          ['diarize', 'diarization', 'speaker_labels'],
          'labels the speakers; 400 `diarization_unsupported` if the model cannot',
        ),
        supported(['min_speakers', 'max_speakers'], 'hints'),
        refused(['known_speaker_names', 'known_speaker_references'], 'labels are `SPEAKER_00`, `SPEAKER_01` and so on'),
        ignored(['temperature', 'user']),
      ],
    },
  },
  'audio/translations': {
    sentence:
      "`POST /v1/audio/translations`, OpenAI's format: a form as for transcriptions, whose answer is in English. For models with the capability `translation` (others: 400 `translation_unsupported`), for the price of a transcription.",
    tables: {
      'Request fields': [
        supported('model', 'id or alias of a model of type `stt`'),
        supported('prompt', 'given to servers that take one'),
        supported('response_format', '`json` (default), `verbose_json`, `text`, `srt` or `vtt`'),
        ignored(['temperature', 'language', 'user']),
      ],
    },
  },
}
