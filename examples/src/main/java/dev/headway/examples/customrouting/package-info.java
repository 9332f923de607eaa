/** A routing policy of one's own: read {@link dev.headway.examples.customrouting.ShortestQueue}. */
@NullMarked
package dev.headway.examples.customrouting;

import org.jspecify.annotations.NullMarked;
