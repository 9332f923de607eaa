/**
 * What a scheduler and an executor rely on in a KV connector.
 *
 * <p>Extend {@link dev.headway.testkit.connector.KvConnectorContract}.
 */
@NullMarked
package dev.headway.testkit.connector;

import org.jspecify.annotations.NullMarked;
