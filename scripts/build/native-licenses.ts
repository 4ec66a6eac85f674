import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface License {
  /** Name and licence on one line. */
  readonly title: string
  readonly text: string
}

interface LlamaWork {
  readonly title: string
  /** Path in llama.cpp's source. */
  readonly file: string
  /** Words in the comment that is the licence, for files of source code. */
  readonly comment?: string
}

const inLlama: readonly LlamaWork[] = [
  {
    title: 'llama.cpp with ggml (MIT; its YaRN scaling: MIT, Copyright (c) 2023 Jeffrey Quesnelle and Bowen Peng)',
    file: 'LICENSE',
  },
  { title: 'in llama.cpp: nlohmann/json (MIT)', file: 'licenses/LICENSE-jsonhpp' },
  { title: 'in llama.cpp: cpp-httplib (MIT)', file: 'vendor/cpp-httplib/LICENSE' },
  {
    title: 'in llama.cpp: llamafile’s matrix multiplication (MIT)',
    file: 'ggml/src/ggml-cpu/llamafile/sgemm.cpp',
    comment: 'Mozilla Foundation',
  },
  {
    title: 'in llama.cpp: base64.hpp (public domain)',
    file: 'common/base64.hpp',
    comment: 'released into the public domain',
  },
  {
    title: 'in llama.cpp: stb_image (public domain or MIT)',
    file: 'vendor/stb/stb_image.h',
    comment: 'available under 2 licenses',
  },
  {
    title: 'in llama.cpp: miniaudio (public domain or MIT-0)',
    file: 'vendor/miniaudio/miniaudio.h',
    comment: 'available as a choice of the following licenses',
  },
  {
    title: 'in llama.cpp: subprocess.h (public domain)',
    file: 'vendor/sheredom/subprocess.h',
    comment: 'released into the public domain',
  },
  { title: 'in llama.cpp: sha256 (public domain)', file: 'vendor/hash/sha256/LICENSE' },
  { title: 'in llama.cpp: rotate-bits (MIT)', file: 'vendor/hash/rotate-bits/LICENSE.md' },
]

/** Build of libav that the executable contains. */
const libav = '@libav.js/variant-obsolete/dist/libav-6.10.9.0-obsolete.wasm.mjs'

/**
 * Returns the licences of code that is compiled in or shipped as a library and is no npm package. Throws if one is not
 * found.
 */
export function nativeLicenses(nodeModules: string, llamaSource: string): License[] {
  return [
    {
      title: 'Bun (MIT; it links JavaScriptCore, LGPL-2.1, and other libraries)',
      text: read(nodeModules, 'bun-types/docs/project/license.mdx'),
    },
    ...inLlama.map(({ title, file, comment }) => {
      const text = read(llamaSource, file)
      return { title, text: comment === undefined ? text : commentWith(comment, text, file) }
    }),
    {
      title: 'ONNX Runtime (MIT; the works in it are listed in ThirdPartyNotices.txt of its repository)',
      text: mit('Copyright (c) Microsoft Corporation'),
    },
    {
      title: 'tokenizers (Apache-2.0, Copyright the Hugging Face team; its Node.js binding is made with NAPI-RS: MIT)',
      // The package has the text of the one, and a package that only builds this has that of the other.
      text: `${read(nodeModules, 'typescript/LICENSE')}\n\n${read(nodeModules, 'tokenizers/LICENSE')}`,
    },
    {
      title:
        'libav.js with FFmpeg and LAME (LGPL-2.1), Opus, Vorbis and Ogg (BSD); their sources are in the npm package libav.js',
      text: commentWith('GNU LESSER GENERAL PUBLIC LICENSE', read(nodeModules, libav), libav),
    },
    {
      title: 'libwebp (BSD-3-Clause), built by icodec (MIT)',
      text: `${bsd(3, 'Copyright (c) 2010, Google Inc. All rights reserved.')}\n\n${read(nodeModules, 'icodec/LICENSE')}`,
    },
    ...pdfiumLicenses(nodeModules),
    ...sherpaLicenses(nodeModules, llamaSource),
    { title: 'node-addon-api (MIT)', text: read(nodeModules, 'node-addon-api/LICENSE.md') },
  ]
}

/** Returns the licences in PDFium, of which its package has the own one alone. */
function pdfiumLicenses(nodeModules: string): License[] {
  return [
    {
      title: 'PDFium (BSD-3-Clause and Apache-2.0; in it Abseil: Apache-2.0), built by @embedpdf/pdfium (MIT)',
      text: read(nodeModules, '@embedpdf/pdfium/LICENSE.pdfium'),
    },
    {
      title: 'in PDFium: Anti-Grain Geometry 2.3 (permissive)',
      text: 'Copyright (C) 2002-2005 Maxim Shemanarev (McSeem)\n\nPermission to copy, use, modify, sell and distribute this software is granted provided this copyright notice appears in all copies. This software is provided "as is" without express or implied warranty, and with no claim as to its suitability for any purpose.',
    },
    {
      title: 'in PDFium: FreeType (FreeType Project License)',
      text: read(join(import.meta.dir, 'licenses'), 'ftl.txt'),
    },
    {
      title: 'in PDFium: libjpeg-turbo (IJG and BSD-3-Clause)',
      text: `This software is based in part on the work of the Independent JPEG Group.\n\n${bsd(3, 'Copyright (C) 2009-2025 D. R. Commander. All Rights Reserved.\nCopyright (C) 2015 Viktor Szathmáry. All Rights Reserved.')}`,
    },
    {
      title: 'in PDFium: OpenJPEG (BSD-2-Clause)',
      text: bsd(
        2,
        'Copyright (c) 2002-2014, Universite catholique de Louvain (UCL), Belgium\nCopyright (c) 2002-2014, Professor Benoit Macq\nCopyright (c) 2003-2014, Antonin Descampe\nCopyright (c) 2003-2009, Francois-Olivier Devaux\nCopyright (c) 2005, Herve Drolon, FreeImage Team\nCopyright (c) 2002-2003, Yannick Verschueren\nCopyright (c) 2001-2003, David Janssens\nCopyright (c) 2011-2012, Centre National d’Etudes Spatiales (CNES), France\nCopyright (c) 2012, CS Systemes d’Information, France',
      ),
    },
    { title: 'in PDFium: Little CMS (MIT)', text: mit('Copyright (c) 1998-2024 Marti Maria Saguer') },
    { title: 'in PDFium: fast_float (MIT)', text: mit('Copyright (c) 2021 The fast_float authors') },
    {
      title: 'in PDFium: ICU (Unicode License)',
      text: mit('Copyright (c) 1991-2025 Unicode, Inc. All rights reserved.'),
    },
  ]
}

/** Returns the licences in sherpa-onnx's prebuilt library, whose package has no texts. */
function sherpaLicenses(nodeModules: string, llamaSource: string): License[] {
  const texts = join(import.meta.dir, 'licenses')
  return [
    {
      title:
        'sherpa-onnx (Apache-2.0, Copyright Xiaomi Corporation; in it OpenFst, kaldifst, kaldi-decoder, kaldi-native-fbank and simple-sentencepiece: Apache-2.0)',
      text: read(nodeModules, 'typescript/LICENSE'),
    },
    { title: 'in sherpa-onnx: espeak-ng (GPL-3.0-or-later)', text: read(texts, 'gpl-3.0.txt') },
    { title: 'in sherpa-onnx: Eigen (MPL-2.0)', text: read(texts, 'mpl-2.0.txt') },
    { title: 'in sherpa-onnx: nlohmann/json (MIT)', text: read(llamaSource, 'licenses/LICENSE-jsonhpp') },
    { title: 'in sherpa-onnx: piper-phonemize (MIT)', text: mit('Copyright (c) 2023 Michael Hansen') },
    { title: 'in sherpa-onnx: kissfft (BSD-3-Clause)', text: bsd(3, 'Copyright (c) 2003-2010 Mark Borgerding') },
    {
      title: 'in sherpa-onnx: fastcluster with hclust-cpp (BSD-2-Clause)',
      text: bsd(2, 'Copyright (c) 2011 Daniel Müllner\nCopyright (c) 2018 Christoph Dalitz'),
    },
  ]
}

/** Returns the text of the MIT licence, for packages that only name it. */
function mit(copyright: string): string {
  return `MIT License

${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
}

/** Returns the BSD licence. Its third clause forbids to promote products by the authors' names. */
function bsd(clauses: 2 | 3, copyright: string): string {
  const noPromotion = `
3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products derived from this software without specific prior written permission.
`
  return `${copyright}

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer in the documentation and/or other materials provided with the distribution.
${clauses === 2 ? '' : noPromotion}
THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`
}

function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8').trim()
}

function commentWith(words: string, source: string, file: string): string {
  const comments = source.match(/\/\*[\s\S]*?\*\/|(?:^\/\/.*\n)+/gm) ?? []
  const found = comments.find((comment) => comment.includes(words))
  if (found === undefined) throw new Error(`${file} has no comment with "${words}": look where its licence went`)
  return found.replaceAll(/^\/\*+!?|\*+\/$|^\/\/ ?/gm, '').trim()
}
