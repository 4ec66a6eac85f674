import type { DrawnImage } from '../../core/draw.ts'
import type { WorkEvent } from '../../core/work.ts'
import type { WorkDialect } from '../dialect.ts'
import { ImagesBody, type ImagesCall, parseImages } from './parse-request.ts'

/** POST /images/generations. */
export const imagesDialect: WorkDialect<ImagesCall, WorkEvent<'draw'>> = {
  endpoint: 'images/generations',
  kind: 'draw',
  isModelOptional: true,
  off: 'No model of this server makes pictures. Its operator can add one by a manifest of type "image" and engine "upstream".',
  body: ImagesBody,
  parse: parseImages,
  collector: (_, { created }) => {
    const images: DrawnImage[] = []
    return {
      push: (event) => {
        if (event.type === 'image') images.push(event)
      },
      end: () => toImages(images, created),
    }
  },
}

/** Writes the answer picture by picture, as each has megabytes. */
function* toImages(images: readonly DrawnImage[], created: number): Generator<string> {
  yield `{"created":${created},"data":[`
  for (const [index, { base64, usedPrompt }] of images.entries()) {
    if (index > 0) yield ','
    yield JSON.stringify({ b64_json: base64, revised_prompt: usedPrompt })
  }
  yield ']}'
}
