import { join } from 'node:path'

/** Returns the paths of the programs of the executable's threads. */
export function programThreads(root: string): string[] {
  return [
    join(root, 'src', 'audio', 'built-in', 'decode-worker.ts'),
    join(root, 'src', 'engines', 'diarization', 'diarization-thread.ts'),
    join(root, 'src', 'engines', 'onnx', 'text', 'text-thread.ts'),
    join(root, 'src', 'engines', 'speech', 'transcribe', 'finder-thread.ts'),
    join(root, 'src', 'http', 'bodies', 'parse-worker.ts'),
    join(root, 'src', 'images', 'webp', 'webp-worker.ts'),
    join(root, 'src', 'shipping', 'file-worker.ts'),
    join(root, 'src', 'store', 'archive', 'bunzip2-worker.ts'),
    join(root, 'src', 'store', 'download', 'hash-worker.ts'),
    join(root, 'src', 'upkeep', 'database-worker.ts'),
    join(root, 'src', 'upkeep', 'folder-worker.ts'),
  ]
}
