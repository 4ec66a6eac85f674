/**
 * The shipped catalog in the order in which models are listed: chat and vision, embedding, rerank, speech,
 * transcription, then the starter models that are always on the disk. Sizes, sums and commits of files are what their
 * sources have said; `inferd catalog check` asks them again.
 */

import deepseekR10528Qwen38b from './chat/deepseek-r1-0528-qwen3-8b.toml'
import glm47Flash from './chat/glm-4.7-flash.toml'
import gptOss20b from './chat/gpt-oss-20b.toml'
import gptOss120b from './chat/gpt-oss-120b.toml'
import qwen3Coder30bA3bInstruct from './chat/qwen3-coder-30b-a3b-instruct.toml'
import bgeM3 from './embedding/bge-m3.toml'
import qwen3Embedding06b from './embedding/qwen3-embedding-0.6b.toml'
import starterEmbed from './embedding/starter-embed.toml'
import apache20 from './licenses/apache-2.0.txt' with { type: 'text' }
import ccBy40 from './licenses/cc-by-4.0.txt' with { type: 'text' }
import bgeRerankerV2M3 from './rerank/bge-reranker-v2-m3.toml'
import starterRerank from './rerank/starter-rerank.toml'
import parakeetTdt06bV3 from './stt/parakeet-tdt-0.6b-v3.toml'
import senseVoiceSmall from './stt/sense-voice-small.toml'
import starterStt from './stt/starter-stt.toml'
import whisperLargeV3 from './stt/whisper-large-v3.toml'
import whisperLargeV3Turbo from './stt/whisper-large-v3-turbo.toml'
import kokoro82m from './tts/kokoro-82m.toml'
import starterTts from './tts/starter-tts.toml'
import supertonic3 from './tts/supertonic-3.toml'
import gemma412bIt from './vision/gemma-4-12b-it.toml'
import ministral38bInstruct2512 from './vision/ministral-3-8b-instruct-2512.toml'
import qwen3635bA3b from './vision/qwen3.6-35b-a3b.toml'
import qwen3827b from './vision/qwen3.8-27b.toml'
import qwen3Vl8bInstruct from './vision/qwen3-vl-8b-instruct.toml'
import starterChat from './vision/starter-chat.toml'

/** When this list was last put together: the age of its models in listings. */
export const shippedAtMs = Date.UTC(2026, 10, 20)

/** Texts of licences that are the same for every model, unlike MIT's with its copyright line; by their ids in lower case. */
export const shippedLicenses: Readonly<Record<string, string>> = { 'apache-2.0': apache20, 'cc-by-4.0': ccBy40 }

export const shippedManifests: readonly { readonly file: string; readonly content: unknown }[] = [
  { file: 'models/chat/deepseek-r1-0528-qwen3-8b.toml', content: deepseekR10528Qwen38b },
  { file: 'models/chat/gpt-oss-20b.toml', content: gptOss20b },
  { file: 'models/chat/gpt-oss-120b.toml', content: gptOss120b },
  { file: 'models/vision/qwen3.8-27b.toml', content: qwen3827b },
  { file: 'models/vision/qwen3.6-35b-a3b.toml', content: qwen3635bA3b },
  { file: 'models/vision/qwen3-vl-8b-instruct.toml', content: qwen3Vl8bInstruct },
  { file: 'models/vision/gemma-4-12b-it.toml', content: gemma412bIt },
  { file: 'models/vision/ministral-3-8b-instruct-2512.toml', content: ministral38bInstruct2512 },
  { file: 'models/chat/glm-4.7-flash.toml', content: glm47Flash },
  { file: 'models/chat/qwen3-coder-30b-a3b-instruct.toml', content: qwen3Coder30bA3bInstruct },
  { file: 'models/embedding/bge-m3.toml', content: bgeM3 },
  { file: 'models/embedding/qwen3-embedding-0.6b.toml', content: qwen3Embedding06b },
  { file: 'models/rerank/bge-reranker-v2-m3.toml', content: bgeRerankerV2M3 },
  { file: 'models/tts/kokoro-82m.toml', content: kokoro82m },
  { file: 'models/tts/supertonic-3.toml', content: supertonic3 },
  { file: 'models/stt/whisper-large-v3-turbo.toml', content: whisperLargeV3Turbo },
  { file: 'models/stt/parakeet-tdt-0.6b-v3.toml', content: parakeetTdt06bV3 },
  { file: 'models/stt/whisper-large-v3.toml', content: whisperLargeV3 },
  { file: 'models/stt/sense-voice-small.toml', content: senseVoiceSmall },
  { file: 'models/vision/starter-chat.toml', content: starterChat },
  { file: 'models/embedding/starter-embed.toml', content: starterEmbed },
  { file: 'models/rerank/starter-rerank.toml', content: starterRerank },
  { file: 'models/tts/starter-tts.toml', content: starterTts },
  { file: 'models/stt/starter-stt.toml', content: starterStt },
]
