/** Server-sent events, and what an answer in OpenAI's protocol says in them. */
@NullMarked
package dev.headway.loadgen.sse;

import org.jspecify.annotations.NullMarked;
