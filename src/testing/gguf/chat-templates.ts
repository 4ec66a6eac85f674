/** Jinja chat templates for generated models. */
export const chatTemplates = {
  /** Each turn between two marker tokens, the role on the first line. */
  chatml: [
    '{%- for message in messages -%}',
    "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}",
    '{%- endfor -%}',
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}",
  ].join(''),
  /** Refuses all messages, as strict templates do with unknown roles. */
  throws: "{{ raise_exception('this template accepts no messages') }}",
} as const
