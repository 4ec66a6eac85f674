import { type Chapters, ignored, refused, supported } from './row.ts'

export const imagesRows: Chapters = {
  'images/generations': {
    sentence:
      '`POST /v1/images/generations`, for models of type `image`, which upstream servers have. The answer has each picture as `b64_json`. Charged are the pictures that came.',
    tables: {
      'Request fields': [
        supported('model', 'may be left out where one model of type `image` is installed'),
        supported('prompt'),
        supported('n', 'pictures, 1 by default'),
        supported(
          ['size', 'quality', 'complexity', 'style', 'background', 'moderation', 'output_format', 'output_compression'],
          "passed to the model's server, which may refuse it (`image_refused`)",
        ),
        refused('response_format', '`url`: nothing is kept here; `b64_json` is what answers have'),
        refused(['stream', 'partial_images'], 'unless `false` or 0'),
        refused(['frame_count', 'frame_duration_ms', 'svg'], 'pictures do not move, and are no drawings'),
        ignored(['user', 'safety_identifier']),
      ],
    },
  },
}
