import type { Tool } from '../../core/chat.ts'

/** The tool `local_shell`, which clients name without describing it, as a function. */
export const localShellTool: Omit<Tool, 'name'> = {
  description: 'Runs a command on the machine of the user and returns its output.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
      workdir: { type: 'string', description: 'Folder to run it in.' },
      timeout_ms: { type: 'integer', description: 'Time after which it is ended, in milliseconds.' },
    },
    required: ['command'],
  },
}
