/**
 * A chat model of Spring AI that runs on an engine in the same process, without HTTP.
 *
 * <p>Read {@link dev.headway.spring.ai.HeadwayChatModel}, then {@link
 * dev.headway.spring.ai.HeadwayChatOptions} for what can be asked for, and {@link
 * dev.headway.spring.ai.HeadwayChatMetadata} for what a response says of its request. What cannot
 * be honoured is refused by name, before the engine sees it.
 */
@NullMarked
package dev.headway.spring.ai;

import org.jspecify.annotations.NullMarked;
