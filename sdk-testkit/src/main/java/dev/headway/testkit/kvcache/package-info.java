/**
 * What any KV cache should keep to, to be run from a user's own tests with JUnit 5.
 *
 * <p>{@link dev.headway.testkit.kvcache.KvCacheContract} is extended by the test of a {@code
 * KvCacheManager}; its random loads run on {@code RandomKvLoad}, with an executor that remembers
 * which tokens every block holds. {@link dev.headway.testkit.kvcache.KvTransferRules} checks the
 * order in which blocks move between tiers.
 */
@NullMarked
package dev.headway.testkit.kvcache;

import org.jspecify.annotations.NullMarked;
