/**
 * From the messages of a conversation to the text of a prompt.
 *
 * <p>Read {@link dev.headway.serving.chat.ChatTemplate}, then {@link
 * dev.headway.serving.chat.ModelTemplates}, which finds a model's own, then {@link
 * dev.headway.serving.chat.JinjaTemplate}, which runs it. Templates come with models and are
 * programs: they see the messages and nothing else, and have a time to end in.
 */
@NullMarked
package dev.headway.serving.chat;

import org.jspecify.annotations.NullMarked;
