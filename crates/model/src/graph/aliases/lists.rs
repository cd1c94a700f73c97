//! Lists, objects, tables and what is stored.

use super::BlockAlias;

pub(super) const LISTS: &[BlockAlias] = &[
    BlockAlias::new(
        &["0e50422c-6dee-4145-83d6-3a5a392f65de", "b2g2c3d4-5e6f-7g8h-9i0j-k1l2m3n4o5p6"],
        "FindInDictionaryBlock",
        "find_in_dictionary",
    ),
    BlockAlias::new(&["31d1064e-7446-4693-a7d4-65e5ca1180d1"], "AddToDictionaryBlock", "add_to_dictionary"),
    BlockAlias::new(&["b924ddf4-de4f-4b56-9a85-358930dcbc91"], "CreateDictionaryBlock", "create_dictionary"),
    BlockAlias::new(&["aeb08fc1-2fc1-4141-bc8e-f758f183a822"], "AddToListBlock", "add_to_list")
        .inputs(&[("list", "items")]),
    BlockAlias::new(&["a912d5c7-6e00-4542-b2a9-8034136930e4"], "CreateListBlock", "create_list"),
    BlockAlias::new(&["262ca24c-1025-43cf-a578-534e23234e97"], "GetListItemBlock", "get_list_item")
        .inputs(&[("list", "items")]),
    BlockAlias::new(&["d93c5a93-ac7e-41c1-ae5c-ef67e6e9b826"], "RemoveFromListBlock", "remove_from_list")
        .inputs(&[("list", "items")]),
    BlockAlias::new(&["896ed73b-27d0-41be-813c-c1c1dc856c03"], "ListIsEmptyBlock", "list_is_empty")
        .inputs(&[("list", "items")]),
    BlockAlias::new(
        &["f66a3543-28d3-4ab5-8945-9b336371e2ce", "f8e7d6c5-b4a3-2c1d-0e9f-8g7h6i5j4k3l"],
        "StepThroughItemsBlock",
        "step_through_items",
    )
    // In August 2024 an item was a pair of its index and itself.
    .outputs(&[("item_$_0", "key"), ("item_$_1", "item")]),
    BlockAlias::new(&["3c9c2f42-b0c3-435f-ba35-05f7a25c772a"], "CountItemsBlock", "count_items"),
    BlockAlias::new(&["acf7625e-d2cb-4941-bfeb-2819fc6fc015"], "ReadCsvBlock", "read_csv"),
    BlockAlias::new(
        &["1d055e55-a2b9-4547-8311-907d05b0304d"],
        "PersistInformationBlock",
        "persist_information",
    ),
    BlockAlias::new(
        &["d8710fc9-6e29-481e-a7d5-165eb16f8471"],
        "RetrieveInformationBlock",
        "retrieve_information",
    )
    .kept(),
];
