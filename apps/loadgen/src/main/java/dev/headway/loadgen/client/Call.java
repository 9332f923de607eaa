package dev.headway.loadgen.client;

import dev.headway.loadgen.dataset.Prompt;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request as a target sends it.
 *
 * @param id its name, which the server sees too
 * @param prompt makes the prompt; called once, on the target's thread
 * @param promptTokens its length, as far as known here
 * @param maxTokens tokens to generate
 * @param priority smaller is more urgent
 * @param tenant whose request it is, or null
 */
public record Call(
    String id,
    Supplier<Prompt> prompt,
    int promptTokens,
    int maxTokens,
    int priority,
    @Nullable String tenant) {}
