'use strict';

// Modules and names that cannot be imported.

const fs = require('fs');
const path = require('path');
const { builtinModules } = require('module');
const { typo } = require('./module');

const isOwn = (one) => one.source.value.startsWith('.');

/** An edit of the text between the quotes. */
const specifier = (one, value) => [one.source.start + 1, one.source.end - 1, value];

function exportsOf(module) {
  const found = [];
  for (const node of module.nodes('ExportNamedDeclaration')) {
    const declared = node.declaration;
    const names = declared?.id ? [declared.id] : (declared?.declarations || []).map((one) => one.id);
    found.push(...names.filter((name) => name.type === 'Identifier'));
    found.push(...(node.source ? [] : node.specifiers.map((one) => one.exported)));
  }
  for (const node of module.nodes('AssignmentExpression')) {
    const to = node.left;
    const isExport = to.type === 'MemberExpression' && !to.computed && /^(module\.)?exports$/.test(module.source(to.object));
    if (isExport && to.property.name !== 'exports') found.push(to.property);
    if (module.source(to) === 'module.exports' && node.right.type === 'ObjectExpression') {
      found.push(...node.right.properties.filter((one) => one.type === 'ObjectProperty' && !one.shorthand && !one.computed).map((one) => one.key));
    }
  }
  return found.filter((name) => name.type === 'Identifier');
}

exports.IMPORT = {
  typo_in_module: (module, random) => module.imports().map((one) => {
    const { value } = one.source;
    const start = value.length - value.replace(/^[./]+/, '').length;
    return specifier(one, value.slice(0, start) + typo(value.slice(start) || 'index', random));
  }),

  wrong_extension: (module, random) => module.imports().filter(isOwn).map((one) => {
    const { value } = one.source;
    const extension = /\.(js|mjs|cjs|ts|json)$/.exec(value);
    const bare = extension ? value.slice(0, extension.index) : value;
    return specifier(one, bare + random.choice(['', '.mjs', '.jsx', '.cjs', '.json'].filter((other) => bare + other !== value)));
  }),

  wrong_level: (module, random) => module.imports().filter(isOwn).map((one) => {
    const { value } = one.source;
    return specifier(one, value.startsWith('../') ? random.choice([value.slice(1), `../${value}`]) : `.${value}`.replace(/^\.\.$/, '../..'));
  }),

  lost_dot: (module) => module.imports().filter((one) => one.source.value.startsWith('./')).map((one) => specifier(one, one.source.value.slice(2))),

  wrong_module: (module, random) => module.imports().flatMap((one) => {
    if (!isOwn(one)) return [specifier(one, random.choice(builtinModules.filter((name) => !name.startsWith('_'))))];
    const own = path.basename(one.source.value);
    const folder = path.join(module.root, path.dirname(module.path), path.dirname(one.source.value));
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    const others = names.filter((name) => /\.[jt]s$/.test(name)).map((name) => (/\.\w+$/.test(own) ? name : name.replace(/\.\w+$/, '')));
    const fit = others.filter((name) => name !== own && name !== path.basename(module.path)).sort();
    return fit.length > 0 ? [specifier(one, one.source.value.slice(0, -own.length) + random.choice(fit))] : [];
  }),

  typo_in_imported_name: (module, random) => module.imports().flatMap((one) => one.names).map(({ node, key }) => {
    const local = node.local || node.value;
    const name = module.source(key);
    // A name that is also that of the variable keeps the variable.
    const isOne = local && local.start === key.start;
    const joint = node.type === 'ObjectProperty' ? ': ' : ' as ';
    return [key.start, key.end, typo(name, random) + (isOne ? joint + name : '')];
  }),

  typo_in_taken_name: (module, random) => module.imports().flatMap((one) => one.names).map(({ key }) => {
    return [key.start, key.end, typo(module.source(key), random)];
  }),

  lost_import: (module) => module.imports().filter((one) => module.isWholeLine(one.node)).map((one) => module.withoutLines(one.node)),

  lost_imported_name: (module) => module.imports().flatMap(({ names }) => names.slice(1).map(({ node }, index) => {
    return [names[index].node.end, node.end, ''];
  })),

  default_for_named: (module) => module.imports().flatMap((one) => {
    const { node, names } = one;
    if (node.type === 'ImportDeclaration' && names.length === 1 && node.specifiers.length === 1) {
      return [[node.start, node.source.start, `import ${names[0].node.local.name} from `]];
    }
    if (node.type === 'ImportDeclaration' && node.specifiers.length === 1 && node.specifiers[0].type === 'ImportDefaultSpecifier') {
      return [[node.start, node.source.start, `import { ${node.specifiers[0].local.name} } from `]];
    }
    const declared = one.call?.parent;
    if (declared?.type === 'VariableDeclarator' && declared.id.type === 'Identifier' && declared.init === one.call) {
      return [[declared.id.start, declared.id.end, `{ ${declared.id.name} }`]];
    }
    return declared?.type === 'VariableDeclarator' && names.length === 1 ? [[declared.id.start, declared.id.end, names[0].node.value.name]] : [];
  }),

  other_kind_of_module: (module) => module.imports().flatMap((one) => {
    const { node, names } = one;
    if (node.type === 'ImportDeclaration') {
      const locals = node.specifiers.map((each) => each.local.name);
      const taken = names.length > 0 ? `{ ${locals.join(', ')} }` : locals[0];
      return taken ? [[node.start, node.end, `const ${taken} = require(${module.source(node.source)});`]] : [];
    }
    const declared = one.call?.parent;
    const isAlone = node.type === 'VariableDeclaration' && node.declarations.length === 1 && declared?.init === one.call;
    if (!isAlone || node.parent.type !== 'Program') return [];
    return [[node.start, node.end, `import ${module.source(declared.id)} from ${module.source(one.source)};`]];
  }),

  typo_in_export: (module, random) => exportsOf(module).map((name) => [name.start, name.end, typo(name.name, random)]),

  lost_export: (module) => module.nodes('ExportNamedDeclaration').filter((node) => node.declaration).map((node) => {
    return [node.start, node.declaration.start, ''];
  }),
};
