/** An executor of one's own: the simplest whose answers depend on KV blocks. */
@NullMarked
package dev.headway.examples.customexecutor;

import org.jspecify.annotations.NullMarked;
