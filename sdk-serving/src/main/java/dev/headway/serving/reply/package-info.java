/**
 * What the models of every framework have in common: a prompt and parameters become a request of an
 * engine in the same process, and its tokens a reply with what the request waited for.
 *
 * <pre>{@code
 * prompt, ReplyParameters, ReplyShape ─▶ ReplyMaker ─▶ ReplyCall ─▶ ReplyRun ─▶ Reply
 * }</pre>
 *
 * <p>Read {@link dev.headway.serving.reply.ReplyMaker}, then {@link
 * dev.headway.serving.reply.ReplyRun}. What is no reply is a {@link
 * dev.headway.serving.reply.ReplyException}, which a framework's module turns into its own by kind.
 * For {@code headway-langchain4j} and {@code headway-spring-ai}, and for modules like them.
 */
@NullMarked
package dev.headway.serving.reply;

import org.jspecify.annotations.NullMarked;
