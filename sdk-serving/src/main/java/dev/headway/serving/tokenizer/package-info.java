/**
 * Text to tokens and back, one token at a time.
 *
 * <pre>{@code
 * text ─▶ Tokenizer.encode ─▶ prompt token ids
 * output token ids ─▶ TextDecoder.push ─▶ text that no later token can change
 * }</pre>
 *
 * <p>Read {@link dev.headway.serving.tokenizer.Tokenizer}. {@link
 * dev.headway.serving.tokenizer.ByteTokenizer} is for models without a tokenizer, {@link
 * dev.headway.serving.tokenizer.FileTokenizer} reads a {@code tokenizer.json}. Nothing here depends
 * on a server or the engine, and nothing is downloaded.
 */
@NullMarked
package dev.headway.serving.tokenizer;

import org.jspecify.annotations.NullMarked;
