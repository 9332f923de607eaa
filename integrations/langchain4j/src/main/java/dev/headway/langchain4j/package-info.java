/**
 * Models of LangChain4j that run on an engine in the same process, without HTTP.
 *
 * <pre>{@code
 * ChatRequest ─▶ ChatCalls (checked, rendered, tokenised) ─▶ Engine         caller ─▶ engine thread
 *                                                             │ TokenStream
 * ChatResponse ◀── ReplyRun (text, stop strings, calls) ◀───┘          engine thread ─▶ caller
 * }</pre>
 *
 * <p>Read {@link dev.headway.langchain4j.HeadwayChatModel}, then {@link
 * dev.headway.langchain4j.HeadwayChatRequestParameters} for what can be asked for, and {@link
 * dev.headway.langchain4j.HeadwayChatResponseMetadata} for what an answer says of its request. What
 * cannot be honoured is refused by name, before the engine sees it.
 */
@NullMarked
package dev.headway.langchain4j;

import org.jspecify.annotations.NullMarked;
