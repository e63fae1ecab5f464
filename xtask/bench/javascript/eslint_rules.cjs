// Prints settings for eslint: the rules that the sources keep as they are.
//
//     node eslint_rules.cjs SOURCE...        in the folder of the package
//
// Each rule is tried in its variants, the usual one first. One that no variant of leaves the sources alone is not kept.

'use strict';

const { ESLint } = require('eslint');
const js = require('@eslint/js');
const globals = require('globals');
const { readdirSync, statSync } = require('fs');

const FILES = '**/*.{js,cjs,mjs,jsx,ts}';

const VARIANTS = {
  semi: [['always'], ['never']],
  quotes: [['single', { avoidEscape: true }], ['double', { avoidEscape: true }]],
  indent: [[2, { SwitchCase: 1 }], [4, { SwitchCase: 1 }], ['tab', { SwitchCase: 1 }], [2], [4], ['tab']],
  'comma-dangle': [['never'], ['always-multiline'], ['only-multiline']],
  'brace-style': [['1tbs', { allowSingleLine: true }], ['stroustrup', { allowSingleLine: true }]],
  'space-before-function-paren': [['never'], ['always'], [{ anonymous: 'always', named: 'never', asyncArrow: 'always' }]],
  'no-unused-vars': [[], [{ args: 'none', caughtErrors: 'none' }]],
  'object-curly-spacing': [['always'], ['never']],
};
const PLAIN = [
  'comma-spacing', 'curly', 'eol-last', 'eqeqeq', 'key-spacing', 'keyword-spacing', 'no-extra-semi', 'no-mixed-spaces-and-tabs',
  'no-multi-spaces', 'no-multiple-empty-lines', 'no-trailing-spaces', 'no-undef-init', 'no-use-before-define', 'no-useless-return',
  'no-var', 'object-shorthand', 'prefer-const', 'prefer-template', 'space-before-blocks', 'space-infix-ops', 'yoda',
];

const severity = (setting) => (Array.isArray(setting) ? setting[0] : setting);
const RECOMMENDED = Object.keys(js.configs.recommended.rules).filter((name) => severity(js.configs.recommended.rules[name]) !== 'off');

/** The parser of TypeScript takes a second to load: only packages that need it are given it. */
const isTyped = (source) => {
  const names = statSync(source).isDirectory() ? readdirSync(source, { recursive: true }) : [source];
  return names.some((name) => name.endsWith('.ts'));
};
const sources = process.argv.slice(2);
const withTypes = sources.some(isTyped);

function settings(rules, sourceType) {
  const languageOptions = { ecmaVersion: 'latest', sourceType, globals: { ...globals.node, ...globals.browser, ...globals.amd } };
  return [
    { ignores: ['**/__tests__/**'] },
    { files: [FILES], linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' }, languageOptions, rules },
    ...(withTypes ? [{ files: ['**/*.ts'], languageOptions: { parser: require('typescript-eslint').parser } }] : []),
  ];
}

async function broken(rules, sourceType) {
  const eslint = new ESLint({ overrideConfigFile: true, baseConfig: settings(rules, sourceType), errorOnUnmatchedPattern: false });
  const found = (await eslint.lintFiles(sources)).flatMap((result) => result.messages);
  const fatal = found.find((message) => message.fatal);
  if (fatal) throw new Error(`the sources do not parse: ${fatal.message}`);
  return new Set(found.map((message) => message.ruleId));
}

async function sourceTypeOf() {
  for (const sourceType of ['commonjs', 'module']) {
    try {
      await broken({}, sourceType);
      return sourceType;
    } catch { /* It is the other one. */ }
  }
  throw new Error('the sources are neither scripts nor modules');
}

async function main() {
  const sourceType = await sourceTypeOf();
  const names = [...new Set([...RECOMMENDED, ...PLAIN, ...Object.keys(VARIANTS)])];
  const kept = {};
  for (let variant = 0; ; variant += 1) {
    const open = names.filter((name) => !(name in kept) && (VARIANTS[name] || [[]])[variant]);
    if (open.length === 0) break;
    const rules = Object.fromEntries(open.map((name) => [name, ['error', ...(VARIANTS[name] || [[]])[variant]]]));
    const unfit = await broken(rules, sourceType);
    for (const name of open) if (!unfit.has(name)) kept[name] = rules[name];
  }
  console.log(`// The rules that this package keeps.
const globals = require('globals');

module.exports = [
  { ignores: ['**/__tests__/**'] },
  {
    files: ['${FILES}'],
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' },
    languageOptions: {
      ecmaVersion: 'latest', sourceType: '${sourceType}', globals: { ...globals.node, ...globals.browser, ...globals.amd },
    },
    rules: ${JSON.stringify(kept, null, 2)},
  },
${withTypes ? "  { files: ['**/*.ts'], languageOptions: { parser: require('typescript-eslint').parser } },\n" : ''}];`);
}

main();
