import { type ExampleSections, fields } from './example.ts'

/** Examples for all rows of images/generations in docs/reference/fields.md. */
export const imagesSections: ExampleSections = {
  'images/generations: Request fields': {
    dialect: 'images/generations',
    examples: fields({
      ...{ model: 'org/other', prompt: 'b', n: 2, size: '512x512', quality: 'high', complexity: 'low', style: 'vivid' },
      ...{ background: 'opaque', moderation: 'low', output_format: 'webp', output_compression: 50 },
      ...{ response_format: 'url', stream: true, partial_images: 1, user: 'ann', safety_identifier: 'a' },
      ...{ frame_count: 2, frame_duration_ms: 200, svg: {} },
    }),
  },
}
