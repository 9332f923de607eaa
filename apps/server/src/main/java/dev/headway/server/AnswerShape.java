package dev.headway.server;

import dev.headway.grammar.Constraint;
import dev.headway.serving.tool.ToolUse;
import org.jspecify.annotations.Nullable;

/**
 * What an answer must look like, and how it is read. Immutable.
 *
 * @param constraint what its text must be, or null for anything
 * @param field which field of the body said so; empty without a constraint
 * @param tools which part of it is calls of functions
 */
record AnswerShape(@Nullable Constraint constraint, String field, ToolUse tools) {

  /** Any text. */
  static final AnswerShape FREE = new AnswerShape(null, "", ToolUse.NONE);

  /** Text without calls. */
  static AnswerShape of(ConstraintReader.@Nullable Named constraint) {
    return constraint == null
        ? FREE
        : new AnswerShape(constraint.constraint(), constraint.field(), ToolUse.NONE);
  }
}
