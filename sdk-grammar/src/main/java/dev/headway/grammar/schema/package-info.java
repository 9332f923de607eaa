/**
 * JSON schemas to networks. A keyword is kept or refused by its name, never left out.
 *
 * <p>Read {@link dev.headway.grammar.schema.SchemaCompiler}.
 */
@NullMarked
package dev.headway.grammar.schema;

import org.jspecify.annotations.NullMarked;
