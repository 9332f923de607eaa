/**
 * What lies between an engine and those who deal in text, whatever carries it: a server, or a
 * program that has the engine in its own process.
 *
 * <pre>{@code
 * messages ─▶ chat template ─▶ tokenizer ─▶ engine ─▶ decoder ─▶ stop strings ─▶ calls ─▶ answer
 * }</pre>
 *
 * <p>Read {@link dev.headway.serving.ServedModel}, then {@link dev.headway.serving.ChoiceText},
 * which makes an answer of tokens, then {@code dev.headway.serving.reply}, which submits requests
 * for the models of frameworks. Nothing else here submits a request, and nothing has a thread but
 * the compiler of constraints and the chat templates.
 */
@NullMarked
package dev.headway.serving;

import org.jspecify.annotations.NullMarked;
