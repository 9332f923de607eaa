/** What the workers have in their KV caches, from the events that they publish. */
@NullMarked
package dev.headway.router.kvcache;

import org.jspecify.annotations.NullMarked;
