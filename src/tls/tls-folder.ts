import { join } from 'node:path'

/** Returns the folder of keys and certificates in a data folder. */
export function tlsFolder(dataDir: string): string {
  return join(dataDir, 'tls')
}

/** Returns the path of the own authority's certificate in that folder. */
export function rootPath(folder: string): string {
  return join(folder, 'root.pem')
}
